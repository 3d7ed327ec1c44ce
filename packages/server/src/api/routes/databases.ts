// The PostgreSQL database of a project.
import type { DatabaseParts } from '../../core/base/platform.ts'
import {
  changeDatabase,
  createDatabase,
  databaseOf,
  databaseQueries,
  removeDatabase,
} from '../../core/databases/databases.ts'
import { dumpDatabase } from '../../core/databases/dump.ts'
import { loadDump } from '../../core/databases/load.ts'
import { listTables, readTable } from '../../core/databases/read.ts'
import { slowStatements } from '../../core/databases/slow.ts'
import { openTunnel } from '../../core/databases/tunnel.ts'
import { type Handlers, RawAnswer } from '../call.ts'
import { SwitchToWebSocket } from '../websocket.ts'

export const databaseRoutes = (platform: DatabaseParts) =>
  ({
    'GET /projects/:name/database': async ({ project }) => await databaseOf(platform, project),
    'POST /projects/:name/database': async ({ caller, project, body }) =>
      await createDatabase(platform, caller, project, body),
    'PATCH /projects/:name/database': async ({ caller, project, body }) =>
      await changeDatabase(platform, caller, project, body),
    'DELETE /projects/:name/database': async ({ caller, project, body }) => ({
      ok: true,
      ...(await removeDatabase(platform, caller, project, body.confirm)),
    }),
    'GET /projects/:name/database/dump': async ({ project }) => {
      const dump = await dumpDatabase(platform, project)
      const headers = {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${project.name}.dump"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      }
      return new RawAnswer(200, headers, dump)
    },
    'POST /projects/:name/database/load': async ({ caller, project, query, stream, gone, confirmRights }) => {
      const { confirm } = query
      return await loadDump(platform, caller, project, {
        confirm,
        dump: stream(),
        gone: gone(),
        confirmRights,
      })
    },
    'GET /projects/:name/database/tunnel': async ({ caller, project, query, confirmRights }) => {
      const { branch } = query
      return new SwitchToWebSocket(await openTunnel(platform, caller, project, { branch, confirmRights }))
    },
    'GET /projects/:name/database/queries': async ({ project }) => await databaseQueries(platform, project),
    'GET /projects/:name/database/slow': async ({ project }) => await slowStatements(platform, project),
    'GET /projects/:name/database/tables': async ({ caller, project, query }) =>
      await listTables(platform, caller, project, query),
    'POST /projects/:name/database/rows': async ({ caller, project, body }) => {
      const { table: name, ...asked } = body
      return await readTable(platform, caller, project, { ...asked, name })
    },
  }) satisfies Partial<Handlers>
