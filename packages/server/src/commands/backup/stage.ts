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

/**
 * Links the references before the objects, so that a push at the same time cannot leave a reference without its objects. git packs
 * both from time to time: it writes what is packed, and then deletes the single files. So the packed references come after the
 * single ones, and the objects are linked twice.
 */
async function linkRepository(from: string, to: string): Promise<void> {
  const within = (dir: string, isWhole: (name: string) => boolean) =>
    linkTree(path.join(from, dir), path.join(to, dir), isWhole)
  await within('refs', isUnlocked)
  for (const entry of await entries(from))
    if (entry.isFile() && isUnlocked(entry.name)) await linkFile(from, to, entry.name)
  for (let time = 0; time < 2; time++) await within('objects', name => !name.startsWith('tmp_'))
}

/** git writes a new reference to a file with this ending, and then renames it. No branch has it. */
const isUnlocked = (name: string): boolean => !name.endsWith('.lock')

/** The files that are linked never change: they are replaced or deleted. */
async function linkTree(from: string, to: string, isWanted: (name: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await entries(from)) {
    if (!isWanted(entry.name)) continue
    if (entry.isDirectory()) await linkTree(path.join(from, entry.name), path.join(to, entry.name), isWanted)
    else if (entry.isFile()) await linkFile(from, to, entry.name)
  }
}

/** Does nothing if the file is linked already, or was deleted meanwhile. */
async function linkFile(from: string, to: string, name: string): Promise<void> {
  try {
    await link(path.join(from, name), path.join(to, name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error
  }
}

/** A directory that does not exist, or was deleted meanwhile, is empty. */
function entries(dir: string) {
  return readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

const names = async (dir: string): Promise<string[]> => (await entries(dir)).map(({ name }) => name)
