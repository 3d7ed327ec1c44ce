// Every endpoint of the contract has its handler here; the compiler sees to it.
import type { Platform } from '../../core/platform/platform.ts'
import type { Handlers } from '../call.ts'
import { accessRoutes } from './access.ts'
import { aiRoutes } from './ai.ts'
import { billingRoutes } from './billing.ts'
import { buildRoutes } from './builds.ts'
import { cronRoutes } from './crons.ts'
import { domainRoutes } from './domains.ts'
import { envRoutes } from './env.ts'
import { formRoutes } from './forms.ts'
import { githubRoutes } from './github.ts'
import { identityRoutes } from './identity.ts'
import { invoiceRoutes } from './invoices.ts'
import { logRoutes } from './logs.ts'
import { orgRoutes } from './orgs.ts'
import { projectRoutes } from './projects.ts'
import { shareRoutes } from './shares.ts'
import { statsRoutes } from './stats.ts'

export const handlers = (platform: Platform): Handlers => ({
  ...identityRoutes(platform),
  ...projectRoutes(platform),
  ...accessRoutes(platform),
  ...shareRoutes(platform),
  ...orgRoutes(platform),
  ...domainRoutes(platform),
  ...envRoutes(platform),
  ...logRoutes(platform),
  ...formRoutes(platform),
  ...cronRoutes(platform),
  ...statsRoutes(platform),
  ...buildRoutes(platform),
  ...billingRoutes(platform),
  ...githubRoutes(platform),
  ...invoiceRoutes(platform),
  ...aiRoutes(platform),
})
