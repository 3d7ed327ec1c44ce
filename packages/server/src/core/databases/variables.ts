// What a server app needs to reach the database of its project: variables, and the directory of the server's socket.
import type { Place } from '@svc/contract/environments'
import { findDatabase } from '../../store/databases/databases.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { openDatabase } from './password.ts'
import { databaseOfPreview } from './previews.ts'

interface DatabaseAccess {
  variables: Record<string, string>
  /** `undefined` if the server is reached by TCP. */
  socket: { dir: string; at: string } | undefined
}

/** A preview gets that of its branch, and nothing of production. `undefined` if the app has no database. */
export async function databaseAccess(
  platform: DatabaseParts,
  projectId: string,
  place: Place,
): Promise<DatabaseAccess | undefined> {
  if (!platform.databases) return undefined
  const { environment, branch } = place
  const row =
    environment === 'production'
      ? await findDatabase(platform.store.db, projectId)
      : branch && (await databaseOfPreview(platform, { projectId, branch }))
  if (!row || (row.ready_at === null && row.branch === '')) return undefined
  const { host, port, socketDir } = platform.databases.address()
  const { name, password } = openDatabase(platform, row)
  return {
    variables: {
      DATABASE_URL: urlOf({ name, password, host, port }),
      // For clients that do not understand a socket in a URL.
      ...{ PGHOST: host, PGPORT: String(port), PGDATABASE: name, PGUSER: name, PGPASSWORD: password },
    },
    socket: socketDir === undefined ? undefined : { dir: socketDir, at: host },
  }
}

interface Parts {
  name: string
  password: string
  host: string
  port: number
}

/** The form for sockets that libpq, node-postgres and Prisma share: some host, and the directory as a parameter. */
function urlOf({ name, password, host, port }: Parts): string {
  const account = `postgresql://${name}:${encodeURIComponent(password)}`
  return host.startsWith('/')
    ? `${account}@localhost:${port}/${name}?host=${host}`
    : `${account}@${host}:${port}/${name}`
}
