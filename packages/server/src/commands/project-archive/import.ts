// svcd import: adds a project that `svcd export project` wrote, also while the server runs.
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withPlatform } from '../../compose/command-platform.ts'
import { readSettings } from '../../config.ts'
import { findOwner } from '../../core/admin/owners.ts'
import type { Platform } from '../../core/base/platform.ts'
import { importProject } from '../../core/projects/archive/import.ts'
import { actAsOwner } from '../../data-owner.ts'
import { Fault } from '../../lib/fault.ts'
import { explained } from '../backup/failures.ts'
import { archiveFile, readPacks } from '../backup/read-archive.ts'
import { complain, show } from '../output.ts'
import { readDescription } from './read-project.ts'

const options = { owner: { type: 'string' }, name: { type: 'string' } } as const

export async function importCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [what, file = '', extra] = positionals
  if (what !== 'project' || file === '' || extra !== undefined)
    return complain('Usage: svcd import project <file> [--owner <account or org>] [--name <name>]')
  if (!existsSync(file)) throw new Fault('not_found', `There is no file ${file}.`)
  const done = await withPlatform(
    platform => explained('The project was not imported', () => importFrom(platform, file, values)),
    readSettings(),
    actAsOwner,
  )
  return show(`${done}\n`)
}

async function importFrom(
  platform: Platform,
  file: string,
  given: { owner?: string; name?: string },
): Promise<string> {
  const source = archiveFile(file, 'a project that svcd exported')
  const description = await readDescription(source)
  const name = given.name ?? description.name
  const owner = await findOwner(platform.store.db, given.owner ?? description.owner)
  const { leftOut } = await importProject(platform, owner.owner, name, {
    description,
    readPacks: create => readPacks(source, create),
  })
  for (const domain of leftOut)
    process.stderr.write(`svcd: ${domain} cannot be attached here, so it is left out.\n`)
  const { length } = description.deployments
  return `Imported ${name} with ${length} deployments for ${owner.name}: ${platform.urls.site(name)}`
}
