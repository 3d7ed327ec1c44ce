// svcd import: adds a project that `svcd export project` wrote, also while the server runs.
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { withPlatform } from '../../compose/command-platform.ts'
import { readSettings } from '../../config.ts'
import { findOwner } from '../../core/admin/owners.ts'
import type { Platform } from '../../core/base/platform.ts'
import { importProject } from '../../core/projects/archive/import.ts'
import { importRepository } from '../../core/projects/archive/repository.ts'
import { actAsOwner } from '../../data-owner.ts'
import { Fault } from '../../lib/fault.ts'
import type { PackSink } from '../../ports/packs/port.ts'
import { explained } from '../backup/failures.ts'
import { archiveFile, readPacks } from '../backup/read-archive.ts'
import { complain, show } from '../output.ts'
import { repositoryPackId } from './format.ts'
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
  const dir = await mkdtemp(path.join(tmpdir(), 'svcd-import-'))
  const objects = path.join(dir, 'objects.pack')
  try {
    const { leftOut } = await importProject(platform, owner.owner, name, {
      description,
      readPacks: create =>
        readPacks(source, id => (id === repositoryPackId ? fileSink(objects) : create(id))),
    })
    const { repository } = description
    const into = { owner: owner.owner, ownerName: owner.name, project: name }
    const packFile = existsSync(objects) ? objects : undefined
    const why = repository && (await importRepository(platform, into, repository, packFile))
    if (why) process.stderr.write(`svcd: the git repository is left out: ${why}\n`)
    for (const domain of leftOut)
      process.stderr.write(`svcd: ${domain} cannot be attached here, so it is left out.\n`)
    const { length } = description.deployments
    return `Imported ${name} with ${length} deployments for ${owner.name}: ${platform.urls.site(name)}`
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function fileSink(file: string): Promise<PackSink> {
  const handle = await open(file, 'wx', 0o600)
  return {
    write: async bytes => {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten
    },
    commit: () => handle.close(),
    abort: () => handle.close(),
  }
}
