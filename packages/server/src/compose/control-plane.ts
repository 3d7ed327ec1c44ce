// Puts together what answers on the platform's own hosts.
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { createDashboard } from '../api/dashboard.ts'
import { createDocs } from '../api/docs.ts'
import { createApi } from '../api/server.ts'
import { createStatusPage } from '../api/status-page.ts'
import { type Settings, trustedAddresses } from '../config.ts'
import type { Platform } from '../core/platform.ts'
import { clientAddress } from '../lib/client-address.ts'
import type { Parts } from '../listener.ts'

const dashboardDir = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url))

export async function controlPlane(
  platform: Platform,
  settings: Settings,
  log: Logger,
): Promise<Partial<Parts>> {
  return {
    api: createApi({ platform, log, clientAddress: clientAddress(trustedAddresses(settings)) }),
    dashboard: await createDashboard(platform, settings.platformDomain, dashboardDir),
    'dashboard-redirect': (req, res) => {
      res
        .writeHead(308, { location: `${platform.urls.dashboard}${req.url?.startsWith('/') ? req.url : '/'}` })
        .end()
    },
    docs: createDocs(platform),
    status: createStatusPage(platform),
  }
}
