// The handlers of all endpoints. The compiler checks that none is missing.
import type { Platform } from '../../core/base/platform.ts'
import type { Handlers } from '../call.ts'
import { accessRoutes } from './access.ts'
import { adminRoutes } from './admin.ts'
import { aiRoutes } from './ai.ts'
import { appRoutes } from './apps.ts'
import { billingRoutes } from './billing.ts'
import { buildRoutes } from './builds.ts'
import { cronRoutes } from './crons.ts'
import { databaseRoutes } from './databases.ts'
import { deploymentRoutes } from './deployments.ts'
import { diskRoutes } from './disk.ts'
import { domainRoutes } from './domains.ts'
import { envRoutes } from './env.ts'
import { factorRoutes } from './factors.ts'
import { formRoutes } from './forms.ts'
import { identityRoutes } from './identity.ts'
import { logRoutes } from './logs.ts'
import { notificationRoutes } from './notifications.ts'
import { orgRoutes } from './orgs.ts'
import { passkeyRoutes } from './passkeys.ts'
import { platformRoutes } from './platform.ts'
import { projectRoutes } from './projects.ts'
import { shareRoutes } from './shares.ts'
import { statsRoutes } from './stats.ts'

export const handlers = (platform: Platform): Handlers => ({
  ...identityRoutes(platform),
  ...factorRoutes(platform),
  ...passkeyRoutes(platform),
  ...orgRoutes(platform),
  ...projectRoutes(platform),
  ...deploymentRoutes(platform),
  ...domainRoutes(platform),
  ...envRoutes(platform),
  ...diskRoutes(platform),
  ...accessRoutes(platform),
  ...shareRoutes(platform),
  ...cronRoutes(platform),
  ...databaseRoutes(platform),
  ...formRoutes(platform),
  ...notificationRoutes(platform),
  ...statsRoutes(platform),
  ...logRoutes(platform),
  ...appRoutes(platform),
  ...buildRoutes(platform),
  ...billingRoutes(platform),
  ...aiRoutes(platform),
  ...platformRoutes(platform),
  ...adminRoutes(platform),
})
