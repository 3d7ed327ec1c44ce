// Collects what a backup holds in a directory, while the server runs. Files are linked, not copied, so it takes no space.
import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { DataDirectory } from '../../data-directory.ts'
import { snapshotDatabase } from '../../store/sqlite/snapshot.ts'

interface Source {
  data: DataDirectory
  dataDir: string
  hasKey: boolean
}

/** `dir` must be in the data directory, since links cannot lead to another disk. */
export async function stage({ data, dataDir, hasKey }: Source, dir: string): Promise<void> {
  const packs = () => linkTree(data.packsDir, path.join(dir, 'packs'), name => !name.endsWith('.tmp'))
  await mkdir(dir)
  // Before and after the snapshot: a deployment may be deleted or uploaded meanwhile.
  await packs()
  snapshotDatabase(data.databaseFile, path.join(dir, 'svc.db'))
  await packs()
  for (const repository of await names(data.reposDir))
    if (repository.endsWith('.git'))
      await linkRepository(path.join(data.reposDir, repository), path.join(dir, 'git', repository))
  for (const name of hasKey ? ['secret.key', 'node-id'] : ['node-id'])
    await copyFile(path.join(dataDir, name), path.join(dir, name))
}

/** Links the references before the objects, so that a push at the same time cannot leave a reference without its objects. */
async function linkRepository(from: string, to: string): Promise<void> {
  await linkTree(from, to, name => name !== 'objects' && !name.endsWith('.lock'))
  await linkTree(path.join(from, 'objects'), path.join(to, 'objects'), name => !name.startsWith('tmp_'))
}

/** The files that are linked never change: they are replaced or deleted. */
async function linkTree(from: string, to: string, isWanted: (name: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await entries(from)) {
    if (!isWanted(entry.name)) continue
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, target, isWanted)
    else if (entry.isFile()) await link(source, target).catch(unlessLinkedOrGone)
  }
}

function unlessLinkedOrGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
}

/** A directory that does not exist, or was deleted meanwhile, is empty. */
function entries(dir: string) {
  return readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

const names = async (dir: string): Promise<string[]> => (await entries(dir)).map(({ name }) => name)
