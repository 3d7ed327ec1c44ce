// Sends everything of a platform to a repository, while the server runs: database, deployments, repositories and keys.
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { packsSettings } from '../../../compose/ports.ts'
import type { Settings } from '../../../config.ts'
import type { DataDirectory } from '../../../data-directory.ts'
import { openPacks } from '../../../ports/packs/open.ts'
import type { Packs } from '../../../ports/packs/port.ts'
import { problemsOfDatabase } from '../../../store/sqlite/integrity.ts'
import { copyBucket, copyEach, copyPack } from '../bucket-copies.ts'
import { bringRepositories, takeSnapshot } from '../collect.ts'
import { eachDiskArchive, snapshotDisks, warnOfDisks } from '../disks.ts'
import { dumpDatabases } from '../dump-databases.ts'
import { databaseName, packFile } from '../format.ts'
import { linkPacks, linkRepositories } from '../stage.ts'
import type { SentFile, SnapshotWriter } from './snapshot-writer.ts'

/** Pieces that are sent at a time: a storage far away answers late. */
const atOnce = 4

interface Sending {
  writer: SnapshotWriter
  /** A directory in the data directory for the time of the backup. */
  staged: string
  /** Gets what is damaged, with words about that. */
  damaged: Map<string, string>
}

/** Returns the ids of deployments for which the storage has no files. */
export async function sendPlatform(
  settings: Settings,
  data: DataDirectory,
  sending: Sending,
): Promise<string[]> {
  const { staged, writer, damaged } = sending
  if (!settings.databaseUrl)
    for (const problem of problemsOfDatabase(data.databaseFile)) damaged.set(databaseName, problem)
  warnOfDisks(await snapshotDisks(settings, data))
  const missing = await sendPacks(settings, data, sending)
  await eachDiskArchive(data, staged, async (name, write, file) => {
    // A snapshot never changes.
    if (writer.keep(name) || !(await write(file))) return
    const { size } = await stat(file)
    const content = () => createReadStream(file, { highWaterMark: 1024 ** 2 })
    await writer.addNamed([{ name, size, content }])
  })
  await bringRepositories(settings, data)
  await linkRepositories(data.reposDir, staged)
  await writer.addByContent([await staging(staged, databaseName)], damaged.get(databaseName))
  await sendTogether(sending, ['node-id', 'packs/owner', 'secret.key'])
  for (const name of await namesIn(path.join(staged, 'git'))) await sendRepository(sending, `git/${name}`)
  for (const name of await dumpDatabases(settings, data, sending))
    await writer.addByContent([await staging(staged, name)])
  return missing
}

async function sendPacks(settings: Settings, data: DataDirectory, sending: Sending): Promise<string[]> {
  const { staged } = sending
  const snapshot = () => takeSnapshot(settings, staged)
  const storage = packsSettings(settings, data)
  if (storage.kind === 's3') {
    const packs = await openPacks(storage, 'writing')
    const copy = (id: string) => sendPack(packs, id, sending)
    return await copyBucket({ packs, copy, atOnce }, snapshot).finally(() => packs.close())
  }
  // Before and after the snapshot: a deployment may be deleted or uploaded meanwhile.
  await linkPacks(storage.dir, staged)
  const needed = await snapshot()
  await linkPacks(storage.dir, staged)
  const packs = await openPacks({ kind: 'disk', dir: path.join(staged, 'packs') }, 'writing')
  const sent = new Set<string>()
  await copyEach(packs.list(), atOnce, async id => {
    if (await sendPack(packs, id, sending)) sent.add(id)
  })
  return needed.filter(id => !sent.has(id))
}

/** Returns false if the pack was deleted meanwhile. */
async function sendPack(packs: Packs, id: string, { writer, damaged }: Sending): Promise<boolean> {
  const name = packFile(id)
  if (writer.keep(name)) return true
  return await copyPack({ packs, damaged }, id, (size, content) =>
    writer.addNamed([{ name, size, content }], () => damaged.get(id)),
  )
}

/** Packs of git never change, and their names say what is in them. Everything else of a repository is one piece. */
async function sendRepository(sending: Sending, dir: string): Promise<void> {
  const { staged, writer } = sending
  const packs = new Map<string, string[]>()
  for (const file of await namesIn(path.join(staged, dir, 'objects/pack'))) {
    const name = `${dir}/objects/pack/${file}`
    const stem = name.slice(0, name.lastIndexOf('.'))
    packs.set(stem, [...(packs.get(stem) ?? []), name])
  }
  const inPacks = new Set([...packs.values()].flat())
  const found = await readdir(path.join(staged, dir), { recursive: true, withFileTypes: true })
  const names = found
    .filter(entry => entry.isFile())
    .map(entry => path.relative(staged, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
  await sendTogether(
    sending,
    names.filter(name => !inPacks.has(name)),
  )
  for (const files of packs.values())
    await writer.addNamed(await Promise.all(files.toSorted().map(name => staging(staged, name))))
}

/** Leaves out files that do not exist. */
async function sendTogether({ staged, writer }: Sending, names: string[]): Promise<void> {
  const found = await Promise.all(names.toSorted().map(name => staging(staged, name).catch(ifMissing)))
  const files = found.filter(file => file !== undefined)
  if (files.length > 0) await writer.addByContent(files)
}

async function staging(staged: string, name: string): Promise<SentFile> {
  const file = path.join(staged, ...name.split('/'))
  const { size } = await stat(file)
  return { name, size, content: () => createReadStream(file, { highWaterMark: 1024 ** 2 }) }
}

const namesIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir).catch(error => ifMissing(error) ?? [])).sort()

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
