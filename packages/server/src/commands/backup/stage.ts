// Collects the files of the data directory for a backup, while the server runs. Files are linked, not copied, so they take no
// space.
import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'

/** `dir` must be in the data directory, since links cannot lead to another disk. Does nothing for packs that are linked already. */
export function linkPacks(packsDir: string, dir: string): Promise<void> {
  return linkTree(packsDir, path.join(dir, 'packs'), name => !name.endsWith('.tmp'))
}

export async function linkRepositories(reposDir: string, dir: string): Promise<void> {
  for (const { name } of await entries(reposDir))
    if (name.endsWith('.git')) await linkRepository(path.join(reposDir, name), path.join(dir, 'git', name))
}

/** Beside a key in the settings, the key file may be missing, or hold older keys that are still needed. */
export async function copyKeys(dataDir: string, dir: string): Promise<void> {
  for (const name of ['secret.key', 'node-id'])
    await copyFile(path.join(dataDir, name), path.join(dir, name)).catch(ifMissing)
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
  for (const name of ['HEAD', 'packed-refs']) await linkFile(from, to, name)
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
  return readdir(dir, { withFileTypes: true }).catch(error => ifMissing(error) ?? [])
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
