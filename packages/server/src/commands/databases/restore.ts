// svcd db restore: brings the database of a project back as it was at a time. It works while the server runs.
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabases } from '../../compose/app-databases.ts'
import { withPlatform } from '../../compose/command-platform.ts'
import { readSettings } from '../../config.ts'
import { dumpProjectAt, loadProjectDump } from '../../core/databases/point-in-time.ts'
import { dataPaths, lockRecovery } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { OwnDatabases } from '../../ports/databases/own-server.ts'
import { complain } from '../output.ts'

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/

export async function db(args: string[]): Promise<number> {
  const options = { at: { type: 'string' }, to: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [verb, name = '', extra] = positionals
  if (verb !== 'restore' || name === '' || extra !== undefined || values.at === undefined)
    return complain('Usage: svcd db restore <project> --at <time> [--to <file>]')
  const at = timePattern.test(values.at) ? Date.parse(values.at) : Number.NaN
  if (Number.isNaN(at)) return complain(`'${values.at}' is no time such as 2026-01-31T12:00:00Z.`)
  await restore(name, at, values.to)
  return 0
}

async function restore(project: string, at: number, to: string | undefined): Promise<void> {
  const settings = readSettings()
  if (settings.appsPostgresUrl)
    throw new Fault(
      'invalid_request',
      "The databases are on your own server (SVCD_APPS_POSTGRES_URL). Restore it to the time by its own means, dump the database, and bring it in with 'svc db restore'.",
    )
  if (settings.appsPostgresArchive === undefined)
    throw new Fault(
      'invalid_request',
      'There is no archive to restore from. Set SVCD_APPS_POSTGRES_ARCHIVE: from then on any second can be restored.',
    )
  await withPlatform(async platform => {
    const data = dataPaths(settings)
    const databases = await openDatabases(settings, data)
    if (!(databases instanceof OwnDatabases))
      throw new Fault('unavailable', 'The database server of the projects is not set up here.')
    await mkdir(data.postgresDir, { recursive: true, mode: 0o700 })
    const unlock = lockRecovery(data)
    const dir = path.join(data.postgresDir, 'recovered')
    try {
      await rm(dir, { recursive: true, force: true })
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const file = to ?? path.join(dir, 'dump')
      const dumpAt: OwnDatabases['dumpAt'] = (...given) => databases.dumpAt(...given)
      const parts = { ...platform, databases }
      process.stderr.write(`Recovering the databases as of ${new Date(at).toISOString()}, aside …\n`)
      await dumpProjectAt(parts, { project, at, file, dumpAt })
      if (to !== undefined) return void process.stderr.write(`Wrote ${to}.\n`)
      const { removed } = await loadProjectDump(parts, { project, file })
      process.stderr.write(
        `The database of ${project} is as it was. What it held before is kept until ${removed.kept_until}: 'svc db undelete' changes the two over.\n`,
      )
    } finally {
      await rm(dir, { recursive: true, force: true })
      await databases.close({ keepsServer: 'as it was' })
      unlock()
    }
  })
}
