// Which project of a backup is meant by a name: the one that had it then, or the one that has it today and had another.
import { existsSync } from 'node:fs'
import { openStore } from '../../compose/ports.ts'
import { withDashboard } from '../../compose/stored-settings.ts'
import { readSettings } from '../../config.ts'
import { dataPaths } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { createLog } from '../../log.ts'
import { findFormerName } from '../../store/projects/former-names.ts'
import { findProject, findProjectWithOrg, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { ExportedFrom } from './in-backup.ts'

export async function requireProject(platform: ExportedFrom, name: string): Promise<ProjectWithOrg> {
  const { store, madeAt } = platform
  const found = await findProject(store.db, name)
  if (madeAt === undefined) return found ?? missing(name)
  const today = await idToday(name)
  if (found) {
    if (today !== undefined && today !== found.id)
      tell(`${name} was another project when this backup was made (${madeAt}) than it is today.`)
    return found
  }
  const renamed = today === undefined ? undefined : await findProjectWithOrg(store.db, today)
  if (!renamed)
    return missing(
      name,
      ` in the backup of ${madeAt}. Name an earlier or a later one, or the name that the project had then`,
    )
  tell(`${name} had the name ${renamed.name} when this backup was made (${madeAt}).`)
  return renamed
}

function missing(name: string, more = ''): never {
  throw new Fault('not_found', `There is no project '${name.slice(0, 60)}'${more}.`)
}

/** The id of the project that has this name now, or had it until lately. There may be no platform here. */
async function idToday(name: string): Promise<string | undefined> {
  const given = readSettings()
  const data = dataPaths(given)
  if (!given.databaseUrl && !existsSync(data.databaseFile)) return undefined
  const settings = await withDashboard(given)
  const store = await openStore(settings, data, createLog(settings))
  try {
    const { id } = (await findProject(store.db, name)) ?? {}
    return id ?? (await findFormerName(store.db, name, Date.now()))?.project_id
  } finally {
    await store.close()
  }
}

function tell(line: string): void {
  process.stderr.write(`svcd: ${line}\n`)
}
