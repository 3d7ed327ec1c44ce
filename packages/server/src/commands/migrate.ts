// svcd migrate: brings the database to the newest schema. The other commands do so by themselves.
import { parseArgs } from 'node:util'
import { openStore } from '../compose/ports.ts'
import { readSettings } from '../config.ts'
import { openDataDirectory, requireChosenDataDirectory } from '../data-directory.ts'
import { becomeOwner } from '../data-owner.ts'
import { createLog } from '../log.ts'

export async function migrate(args: string[]): Promise<number> {
  parseArgs({ args })
  const settings = readSettings()
  requireChosenDataDirectory(settings)
  becomeOwner(settings)
  const store = await openStore(settings, openDataDirectory(settings), createLog(settings))
  try {
    const applied = await store.migrate()
    process.stdout.write(
      applied.length > 0 ? `Applied ${applied.join(', ')}.\n` : 'The schema is up to date.\n',
    )
  } finally {
    await store.close()
  }
  return 0
}
