// Creates the handlers of the platform's own hosts: API, dashboard, docs, status page, AI gateway.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { createDashboard } from '../api/dashboard.ts'
import { createDocs } from '../api/docs.ts'
import { createGitServer } from '../api/git/server.ts'
import { createApi } from '../api/server.ts'
import { createStatusPage } from '../api/status-page.ts'
import { handOutTool } from '../api/tool.ts'
import { type Settings, trustedAddresses } from '../config.ts'
import type { Platform } from '../core/base/platform.ts'
import { clientAddress } from '../lib/client-address.ts'
import { type Parts, respondingTo } from '../listener.ts'
import { programFile } from '../program-files.ts'
import { openAiGateway } from './ai.ts'

const dashboardDir = fileURLToPath(programFile('../../dashboard/dist/'))

const docsDir = fileURLToPath(programFile('../../docs/dist/'))

const toolFile = fileURLToPath(programFile('../../cli/dist/package/svc.tgz'))

/** The CLI package. It is built separately, and the server also runs without it. */
const readTool = (): Promise<Buffer | undefined> => readFile(toolFile).catch(() => undefined)

export async function controlPlane(
  platform: Platform,
  settings: Settings,
  log: Logger,
): Promise<Partial<Parts>> {
  const addressOf = clientAddress(trustedAddresses(settings))
  const api = handOutTool(await readTool(), createApi({ platform, log, clientAddress: addressOf }))
  const { gitPushBytes: pushBytes } = settings
  const git = createGitServer({ platform, log, clientAddress: addressOf, pushBytes })
  return respondingTo({
    api: platform.hasBuiltinForge
      ? (req, res, received) => ((received.upgrade ? undefined : git(req)) ?? api)(req, res, received)
      : api,
    dashboard: await createDashboard(platform, settings.platformDomain, dashboardDir),
    'dashboard-redirect': (req, res) => {
      res
        .writeHead(308, { location: `${platform.urls.dashboard}${req.url?.startsWith('/') ? req.url : '/'}` })
        .end()
    },
    ai: openAiGateway(platform, settings, log),
    docs: await createDocs(platform, settings.platformDomain, docsDir),
    status: createStatusPage(platform),
  })
}
