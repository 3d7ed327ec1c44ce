// A dump of a project's database for its admins, in the format of pg_dump.
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { Fault } from '../../lib/fault.ts'
import type { DatabaseParts } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { requireDatabase, startedServer } from './databases.ts'
import { openDatabase } from './password.ts'

/** Throws if the dump cannot begin. The stream breaks off if it cannot be completed. */
export async function dumpDatabase(platform: DatabaseParts, project: ProjectScope): Promise<Readable> {
  const row = await requireDatabase(platform, project)
  const server = await startedServer(platform)
  const output = new PassThrough()
  server.dump(openDatabase(platform, row), output).catch((error: Error) => output.destroy(error))
  try {
    await once(output, 'readable')
  } catch (cause) {
    throw new Fault(
      'unavailable',
      'The database cannot be dumped now. Its operator finds the reason in the log.',
      { cause },
    )
  }
  return output
}
