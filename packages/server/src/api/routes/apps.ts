// The server app of a project: restart it, and evict its pages from the caches.
import { attendCommand } from '../../core/apps/attended-commands.ts'
import { runCommand } from '../../core/apps/commands.ts'
import { restartProject } from '../../core/apps/restart.ts'
import { revalidate } from '../../core/apps/revalidation.ts'
import type { Platform, Rows } from '../../core/base/platform.ts'
import { type Handlers, RawAnswer } from '../call.ts'
import { SwitchToWebSocket } from '../websocket.ts'

export const appRoutes = (platform: Rows & Pick<Platform, 'commands' | 'evictions'>) =>
  ({
    'POST /projects/:name/restart': async ({ caller, project }) => ({
      ok: true,
      restarting: await restartProject(platform, caller, project),
    }),
    'POST /projects/:name/run': async ({ caller, project, body, confirmRights }) => {
      const { command } = body
      const lines = await runCommand(platform, caller, project, { command, confirmRights })
      const headers = {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
        // nginx sends what it has buffered only when the buffer is full, unless told otherwise.
        'x-accel-buffering': 'no',
      }
      return new RawAnswer(200, headers, lines)
    },
    'GET /projects/:name/run': async ({ caller, project, confirmRights }) =>
      new SwitchToWebSocket(await attendCommand(platform, caller, project, { confirmRights })),
    'POST /projects/:name/revalidate': async ({ caller, project, body }) => ({
      ok: true,
      evicted: await revalidate(platform, caller, project, body.paths),
    }),
  }) satisfies Partial<Handlers>
