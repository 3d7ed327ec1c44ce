// Extracts the files of deployments into directories in which apps run. They are kept for the next start.
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { linksPath } from '@svc/contract/site'
import { linksToMake, readLinks } from '../core/deployments/archive/links.ts'
import { randomText } from '../lib/ids.ts'
import { removeTree } from '../lib/remove-tree.ts'
import type { PackFile } from '../ports/packs/pack-index.ts'
import { PackReader } from '../ports/packs/pack-reader.ts'
import type { Packs } from '../ports/packs/port.ts'

/** How many files are written at a time. */
const atOnce = 16
/** Larger files are written in pieces of this size. */
const pieceBytes = 1024 * 1024

/** Raised when an upgrade of svcd extracts other files or directories than before. */
const layout = 2

export class AppFiles {
  readonly #dir: string
  readonly #packs: Packs
  /** For each deployment, the last task on its directory. The next task waits for it. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(dir: string, packs: Packs) {
    this.#dir = dir
    this.#packs = packs
  }

  /**
   * Only called at start. Files are not synced, because they can be extracted again. After a crash of the machine they may
   * be damaged, so files of an earlier boot are deleted, and those of another layout.
   */
  async open(): Promise<void> {
    const note = path.join(this.#dir, 'boot-id')
    const boot = bootId()
    const origin = `${boot ?? ''} ${layout}`
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const isSame = boot !== undefined && existsSync(note) && readFileSync(note, 'utf8') === origin
    for (const name of await readdir(this.#dir))
      if (!isSame || name.includes('.')) await removeTree(path.join(this.#dir, name))
    await writeFile(note, origin)
  }

  /** The directory with all files of a deployment. */
  prepare(deploymentId: string, scratchDirs: readonly string[]): Promise<string> {
    const dir = path.join(this.#dir, deploymentId)
    return this.#inTurn(deploymentId, async () => {
      if (!existsSync(dir)) await this.#unpack(deploymentId, dir, scratchDirs)
      return dir
    })
  }

  /** The deployments whose files are extracted. */
  async list(): Promise<string[]> {
    return (await readdir(this.#dir)).filter(name => name.startsWith('dep_') && !name.includes('.'))
  }

  /** Removes the files unless `isNeeded`, which is called when no other task uses the directory. */
  remove(deploymentId: string, isNeeded: () => boolean): Promise<void> {
    return this.#inTurn(deploymentId, async () => {
      if (isNeeded()) return
      const trash = path.join(this.#dir, `${deploymentId}.${randomText(8)}`)
      await rename(path.join(this.#dir, deploymentId), trash)
      await removeTree(trash)
    })
  }

  async #unpack(deploymentId: string, dir: string, scratchDirs: readonly string[]): Promise<void> {
    const pack = await PackReader.open(this.#packs, deploymentId)
    if (!pack) throw new Error(`The files of ${deploymentId} are gone.`)
    const unfinished = `${dir}.${randomText(8)}`
    try {
      const links = linksToMake(await readLinks(pack), scratchDirs)
      await makeDirectories(unfinished, [...pathsOf(pack), ...links.keys()], scratchDirs)
      const files = pack.files()
      await Promise.all(Array.from({ length: atOnce }, () => writeFiles(pack, files, unfinished)))
      // Links come last, so that no file is written through a link.
      for (const [link, target] of links) await symlink(target, path.join(unfinished, link))
      await rename(unfinished, dir)
    } catch (error) {
      await removeTree(unfinished)
      throw error
    } finally {
      await pack.close()
    }
  }

  #inTurn<T>(deploymentId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(deploymentId) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#turns.set(deploymentId, turn)
    const forget = () => {
      if (this.#turns.get(deploymentId) === turn) this.#turns.delete(deploymentId)
    }
    turn.then(forget, forget)
    return turn
  }
}

function* pathsOf(pack: PackReader): Generator<string> {
  for (const file of pack.files()) if (file.path !== linksPath) yield file.path
}

/** The mode of files and folders. Apps may run as another user, who must be able to read them. */
const forApps = 0o755

/** The folders and all their parent folders. `.` is the root. */
function ancestors(folders: ReadonlySet<string>): Set<string> {
  const all = new Set(['.'])
  for (let folder of folders) for (; !all.has(folder); folder = path.posix.dirname(folder)) all.add(folder)
  return all
}

async function makeDirectories(root: string, paths: readonly string[], scratchDirs: readonly string[]) {
  const folders = new Set<string>(scratchDirs)
  for (const file of paths) folders.add(path.posix.dirname(file))
  await mkdir(root, { mode: forApps })
  for (const folder of folders) await mkdir(path.join(root, folder), { recursive: true, mode: forApps })
  // svcd's umask closes new folders to other users.
  for (const folder of ancestors(folders)) await chmod(path.join(root, folder), forApps)
  // Some container engines give a mount the mode of the directory below it.
  for (const dir of scratchDirs) await chmod(path.join(root, dir), 0o1777)
}

/** Writes files from the shared list until it is empty. Packs store no file modes, so every file is executable. */
async function writeFiles(pack: PackReader, files: Generator<PackFile>, root: string): Promise<void> {
  for (const file of files) {
    if (file.path === linksPath) continue
    const target = path.join(root, file.path)
    const opened = await open(target, 'wx', forApps)
    try {
      await opened.chmod(forApps)
      await writeFile(opened, file.size <= pieceBytes ? await pack.read(file) : pack.readPieces(file))
    } finally {
      await opened.close()
    }
  }
}

/** `undefined` if the system has no boot id. Then no files are kept from one start to the next. */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  } catch {
    return undefined // Not Linux.
  }
}
