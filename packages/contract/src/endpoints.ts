// The whole API in one table: `METHOD /path` → what it takes, who may call it, what it answers.
import { aiEndpoints } from './endpoints/ai.ts'
import { billingEndpoints } from './endpoints/billing.ts'
import { buildEndpoints } from './endpoints/builds.ts'
import { githubEndpoints } from './endpoints/github.ts'
import { identityEndpoints } from './endpoints/identity.ts'
import { orgEndpoints } from './endpoints/orgs.ts'
import { projectEndpoints } from './endpoints/projects.ts'
import { settingsEndpoints } from './endpoints/settings.ts'

export const endpoints = {
  ...identityEndpoints,
  ...projectEndpoints,
  ...settingsEndpoints,
  ...githubEndpoints,
  ...buildEndpoints,
  ...orgEndpoints,
  ...billingEndpoints,
  ...aiEndpoints,
}

export type EndpointTable = typeof endpoints
export type EndpointKey = keyof EndpointTable
