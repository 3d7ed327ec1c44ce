// svcd export: writes one project to a file, also while the server runs.
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { withPlatform } from '../../compose/command-platform.ts'
import { readSettings } from '../../config.ts'
import { isRemote } from '../../core/builds/source.ts'
import { describeForArchive } from '../../core/projects/archive/describe.ts'
import { describeRepository, writePack } from '../../core/projects/archive/repository.ts'
import type { ProjectDescription } from '../../core/projects/archive/shape.ts'
import { actAsOwner, asCaller } from '../../data-owner.ts'
import { Fault } from '../../lib/fault.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'
import type { GitRepos } from '../../ports/git-repos/port.ts'
import { findProjectRepo } from '../../store/builds/repositories.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import { version } from '../../version.ts'
import { copyPack } from '../backup/bucket-copies.ts'
import { explained } from '../backup/failures.ts'
import { packFile } from '../backup/format.ts'
import { identityOption } from '../backup/repository/age.ts'
import { ArchiveWriter } from '../backup/write-archive.ts'
import { complain, show } from '../output.ts'
import { descriptionName, type ProjectManifest, projectManifestName, repositoryPackId } from './format.ts'
import { type ExportedFrom, inBackup } from './in-backup.ts'
import { requireProject } from './project-then.ts'

const options = { from: { type: 'string' }, at: { type: 'string' }, ...identityOption } as const

export async function exportCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [what, name = '', given, extra] = positionals
  const isTwice = values.from !== undefined && values.at !== undefined
  if (what !== 'project' || name === '' || extra !== undefined || isTwice)
    return complain(
      'Usage: svcd export project <name> [file] [--from <backup> | --at <time or backup> [--identity <file>]]',
    )
  const file = given ?? `${path.basename(name)}.tar`
  if (existsSync(file)) throw new Fault('name_taken', `${file} exists already. Choose another name.`)
  const write = (platform: ExportedFrom) =>
    explained('The project was not exported', async () =>
      writeProject(platform, await requireProject(platform, name), file),
    )
  const { withImage, bytes, withoutRepository } =
    values.from === undefined && values.at === undefined
      ? await withPlatform(write, readSettings(), actAsOwner)
      : await inBackup({ file: values.from, at: values.at, identity: values.identity }, write)
  if (withoutRepository)
    process.stderr.write('svcd: left out the git repository: a backup is exported without it.\n')
  if (withImage > 0) process.stderr.write(`svcd: left out ${withImage} deployments of a Dockerfile.\n`)
  return show(
    `Wrote ${file} (${Math.ceil(bytes / 1024 ** 2)} MB). It holds the variables in clear: keep it private.\n`,
  )
}

async function writeProject(
  platform: ExportedFrom,
  project: ProjectWithOrg,
  file: string,
): Promise<{ bytes: number; withImage: number; withoutRepository: boolean }> {
  const { description, withImage } = await describeForArchive(platform, project)
  const { repos, store } = platform
  const connected = await findProjectRepo(store.db, project.id)
  const isOwn = connected !== undefined && !isRemote(connected)
  const found = repos && (await describeRepository({ store, repos }, project.id))
  const unfinished = `${file}.part`
  await asCaller(() => rm(unfinished, { force: true }))
  const archive = await asCaller(() => ArchiveWriter.create(unfinished, projectManifestName))
  try {
    if (repos && found) await addRepository(repos, archive, found)
    const repository = found?.described ?? null
    const bytes = await fill(platform, archive, { ...description, repository })
    await asCaller(async () => {
      await rename(unfinished, file)
      syncDirectory(path.dirname(path.resolve(file)))
    })
    return { bytes, withImage, withoutRepository: isOwn && !found }
  } finally {
    await archive.close()
    await asCaller(() => rm(unfinished, { force: true }))
  }
}

/** The size of a file stands before its content, so the pack is written aside first. */
async function addRepository(
  repos: GitRepos,
  archive: ArchiveWriter,
  { id, described: { refs } }: NonNullable<Awaited<ReturnType<typeof describeRepository>>>,
): Promise<void> {
  if (refs.length === 0) return
  const dir = await mkdtemp(path.join(tmpdir(), 'svcd-export-'))
  try {
    const file = path.join(dir, 'objects.pack')
    await writePack(repos, id, refs, file)
    await archive.addFile(packFile(repositoryPackId), file)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** A deployment that is deleted meanwhile is left out. One that is damaged would be refused where the archive goes. */
async function fill(
  { packs }: ExportedFrom,
  archive: ArchiveWriter,
  description: ProjectDescription,
): Promise<number> {
  const damaged = new Map<string, string>()
  const written: ProjectDescription['deployments'] = []
  for (const deployment of description.deployments) {
    const { id } = deployment
    if (await copyPack({ packs, damaged }, id, (size, content) => archive.add(packFile(id), size, content())))
      written.push(deployment)
  }
  for (const [id, damage] of damaged)
    throw new Fault(
      'unavailable',
      `The files of ${id} are damaged (${damage}). Delete it first, or restore them.`,
    )
  const text = Buffer.from(
    JSON.stringify({ ...description, deployments: written } satisfies ProjectDescription),
  )
  await archive.add(descriptionName, text.length, once(text))
  return await archive.finish({
    format: 1,
    svcd: version,
    created_at: new Date().toISOString(),
  } satisfies Omit<ProjectManifest, 'files' | 'sha256'>)
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
