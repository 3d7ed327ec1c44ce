// The files of deployments as directories that apps run in: taken out of their packs once, kept for the next start.
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { linksPath } from '@svc/contract/site'
import { linksToMake, readLinks } from '../core/deployments/archive/links.ts'
import { randomText } from '../lib/ids.ts'
import type { PackFile } from '../ports/packs/pack-index.ts'
import { PackReader } from '../ports/packs/pack-reader.ts'
import type { Packs } from '../ports/packs/port.ts'

/** Files that are written at the same time. */
const atOnce = 16
/** Larger ones are not held in memory as a whole. */
const pieceBytes = 1024 * 1024

export class AppFiles {
  readonly #dir: string
  readonly #packs: Packs
  /** By deployment: what is being done with its directory; the next one waits for it. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(dir: string, packs: Packs) {
    this.#dir = dir
    this.#packs = packs
  }

  /**
   * Files are not synced, since they can be had again: after a crash of the machine they may be damaged, so those of
   * another boot are thrown away. Only at start.
   */
  async open(): Promise<void> {
    const note = path.join(this.#dir, 'boot-id')
    const boot = bootId()
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const isSameBoot = boot !== undefined && existsSync(note) && readFileSync(note, 'utf8') === boot
    for (const name of await readdir(this.#dir))
      if (!isSameBoot || name.includes('.')) await rm(path.join(this.#dir, name), { recursive: true })
    await writeFile(note, boot ?? '')
  }

  /** The directory of a deployment's files, complete. */
  prepare(deploymentId: string, scratchDirs: readonly string[]): Promise<string> {
    const dir = path.join(this.#dir, deploymentId)
    return this.#inTurn(deploymentId, async () => {
      if (!existsSync(dir)) await this.#unpack(deploymentId, dir, scratchDirs)
      return dir
    })
  }

  /** Every deployment whose files are here. */
  async list(): Promise<string[]> {
    return (await readdir(this.#dir)).filter(name => name.startsWith('dep_') && !name.includes('.'))
  }

  /** Away at once for those who ask next; `isNeeded` is asked when nobody else is at it. */
  remove(deploymentId: string, isNeeded: () => boolean): Promise<void> {
    return this.#inTurn(deploymentId, async () => {
      if (isNeeded()) return
      const trash = path.join(this.#dir, `${deploymentId}.${randomText(8)}`)
      await rename(path.join(this.#dir, deploymentId), trash)
      await rm(trash, { recursive: true, force: true })
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
      // Last, so that no file is written through a link.
      for (const [link, target] of links) await symlink(target, path.join(unfinished, link))
      await rename(unfinished, dir)
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
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

/** Where apps run as a user of their own, that user reads the files. */
const forApps = 0o755

/** The folders with all that they lie in; `.` is the root. */
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
  // svcd's umask closes what it makes to other users.
  for (const folder of ancestors(folders)) await chmod(path.join(root, folder), forApps)
  // Some engines give what they mount there the mode of what was there.
  for (const dir of scratchDirs) await chmod(path.join(root, dir), 0o1777)
}

/** Takes files from the common list until there are none. Archives' modes are not kept, so any file may be a program. */
async function writeFiles(pack: PackReader, files: Generator<PackFile>, root: string): Promise<void> {
  for (const file of files) {
    if (file.path === linksPath) continue
    const target = path.join(root, file.path)
    const opened = await open(target, 'wx', forApps)
    try {
      await opened.chmod(forApps)
      await writeFile(opened, file.size <= pieceBytes ? await pack.read(file) : pack.stream(file))
    } finally {
      await opened.close()
    }
  }
}

/** Undefined where the system does not say; then nothing is kept from one start to the next. */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  } catch {
    return undefined // Not Linux.
  }
}
