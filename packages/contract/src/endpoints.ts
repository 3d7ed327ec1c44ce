// The whole API in one table: `METHOD /path` → what it takes, who may call it, what it answers.
import { accessEndpoints } from './endpoints/access.ts'
import { adminEndpoints } from './endpoints/admin.ts'
import { aiEndpoints } from './endpoints/ai.ts'
import { appEndpoints } from './endpoints/apps.ts'
import { billingEndpoints } from './endpoints/billing.ts'
import { buildEndpoints } from './endpoints/builds.ts'
import { cronEndpoints } from './endpoints/crons.ts'
import { databaseEndpoints } from './endpoints/databases.ts'
import { deploymentEndpoints } from './endpoints/deployments.ts'
import { diskEndpoints } from './endpoints/disk.ts'
import { domainEndpoints } from './endpoints/domains.ts'
import { envEndpoints } from './endpoints/env.ts'
import { factorEndpoints } from './endpoints/factors.ts'
import { formEndpoints } from './endpoints/forms.ts'
import { identityEndpoints } from './endpoints/identity.ts'
import { logEndpoints } from './endpoints/logs.ts'
import { notificationEndpoints } from './endpoints/notifications.ts'
import { operationEndpoints } from './endpoints/operations.ts'
import { operatorSettingEndpoints } from './endpoints/operator-settings.ts'
import { orgEndpoints } from './endpoints/orgs.ts'
import { passkeyEndpoints } from './endpoints/passkeys.ts'
import { platformEndpoints } from './endpoints/platform.ts'
import { projectEndpoints } from './endpoints/projects.ts'
import { shareEndpoints } from './endpoints/shares.ts'
import { statsEndpoints } from './endpoints/stats.ts'

export const endpoints = {
  ...identityEndpoints,
  ...factorEndpoints,
  ...passkeyEndpoints,
  ...orgEndpoints,
  ...projectEndpoints,
  ...deploymentEndpoints,
  ...domainEndpoints,
  ...envEndpoints,
  ...diskEndpoints,
  ...accessEndpoints,
  ...shareEndpoints,
  ...cronEndpoints,
  ...databaseEndpoints,
  ...formEndpoints,
  ...notificationEndpoints,
  ...statsEndpoints,
  ...logEndpoints,
  ...appEndpoints,
  ...buildEndpoints,
  ...billingEndpoints,
  ...aiEndpoints,
  ...platformEndpoints,
  ...adminEndpoints,
  ...operatorSettingEndpoints,
  ...operationEndpoints,
}

export type EndpointTable = typeof endpoints
export type EndpointKey = keyof EndpointTable
