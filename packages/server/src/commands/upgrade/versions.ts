// The folder of an installed svcd: each version has a folder of its own in `versions`, and the link `current` leads to the one
// that svcd is started from. A running svcd keeps its files while a newer version is installed beside it.
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { lockFile } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { programFile } from '../../program-files.ts'
import { version } from '../../version.ts'

/** Where `svcd install` puts the versions. */
const installedRoot = '/opt/svcd'
/** The program, from the folder of its version. */
export const programOf = (folder: string): string => path.join(folder, 'server/bin/svcd.js')

/** The folder of the package that this program is in. */
const ownFolder = (): string => path.resolve(fileURLToPath(programFile('../../')))

/** The folder in which packages/ is has the scripts of the repository. */
const isCheckout = (): boolean => existsSync(path.join(ownFolder(), '../scripts/release.mjs'))

export class Versions {
  readonly dir: string
  readonly link: string

  constructor(root: string) {
    this.dir = path.join(root, 'versions')
    this.link = path.join(root, 'current')
  }

  folderOf(version: string): string {
    return path.join(this.dir, version)
  }

  /** Keeps a second upgrade out until the returned function is called, or this process ends. */
  lock(): () => void {
    return lockFile(
      path.join(path.dirname(this.dir), 'upgrade.lock'),
      `Another 'svcd upgrade' is under way in ${path.dirname(this.dir)}. Wait until it ends: the lock ends with it, also if it is killed.`,
    )
  }

  has(version: string | undefined): version is string {
    return version !== undefined && existsSync(programOf(this.folderOf(version)))
  }

  get current(): string | undefined {
    const isLink = lstatSync(this.link, { throwIfNoEntry: false })?.isSymbolicLink()
    return isLink ? path.basename(readlinkSync(this.link)) : undefined
  }

  /** In one step: at every moment the link leads to a version. */
  switchTo(version: string): void {
    replaceLink(this.link, path.join('versions', version))
  }

  /** Removes the other versions, and what an upgrade that was cut off left. */
  keepOnly(kept: readonly (string | undefined)[]): void {
    for (const name of readdirSync(this.dir))
      if (!kept.includes(name)) rmSync(this.folderOf(name), { recursive: true, force: true })
  }
}

/** What the service starts the next time: the version that the link leads to, or this one. */
export const versionToStart = (): string =>
  (currentProgram() && new Versions(path.resolve(ownFolder(), '../..')).current) ?? version

/** The program that the link leads to, which may be a newer version than this one. `undefined` if this one is not among versions. */
export function currentProgram(): string | undefined {
  const versions = new Versions(path.resolve(ownFolder(), '../..'))
  const isAmongVersions = path.dirname(ownFolder()) === versions.dir && versions.current !== undefined
  return isAmongVersions ? programOf(versions.link) : undefined
}

/** The versions beside this one. Throws if svcd was installed in another way, and says how to upgrade then. */
export function installedVersions(): Versions {
  const versions = new Versions(path.resolve(ownFolder(), '../..'))
  if (currentProgram() === undefined) throw new Fault('unavailable', otherWay())
  try {
    accessSync(versions.dir, constants.W_OK)
    accessSync(path.dirname(versions.dir), constants.W_OK)
  } catch (cause) {
    const problem = `${versions.dir} cannot be written by this user. Run it as root: sudo svcd upgrade …`
    throw new Fault('forbidden', problem, { cause })
  }
  return versions
}

function otherWay(): string {
  if (isCheckout())
    return "This svcd runs from a git repository. To upgrade it, run 'git pull', then 'npm start' again; make a backup first (svcd backup <file>)."
  if (['/.dockerenv', '/run/.containerenv'].some(file => existsSync(file)))
    return 'This svcd runs in a container. To upgrade it, build or pull the new image and start the container again, such as with: docker compose up --build --detach. Make a backup first (svcd backup <file>).'
  return "This svcd is not in a folder of versions, so it cannot be upgraded while it runs. Run 'sudo svcd install' once on a server with systemd; docs/server.md says how to do it without."
}

/**
 * Makes this version the current one, for `svcd install`. Returns the program to start. A checkout of the repository is started
 * from where it is.
 */
export function placeProgram(): string {
  const own = ownFolder()
  if (isCheckout()) return programOf(own)
  const isPlaced = path.basename(path.dirname(own)) === 'versions'
  const versions = new Versions(isPlaced ? path.resolve(own, '../..') : installedRoot)
  if (!isPlaced) copyTo(versions, own)
  versions.switchTo(path.basename(isPlaced ? own : versions.folderOf(version)))
  for (const [name, file] of [
    ['svcd', 'server/bin/svcd.js'],
    ['svc', 'cli/bin/svc.js'],
  ] as const)
    replaceLink(path.join('/usr/local/bin', name), path.join(versions.link, file))
  return programOf(versions.link)
}

function copyTo(versions: Versions, own: string): void {
  const unfinished = versions.folderOf(`${version}.part`)
  withPublicFiles(() => {
    mkdirSync(versions.dir, { recursive: true })
    rmSync(unfinished, { recursive: true, force: true })
    cpSync(own, unfinished, { recursive: true })
  })
  rmSync(versions.folderOf(version), { recursive: true, force: true })
  renameSync(unfinished, versions.folderOf(version))
}

/** The program is for every user: root installs it, and the service's user runs it. */
export function withPublicFiles<T>(work: () => T): T {
  const before = process.umask(0o022)
  try {
    return work()
  } finally {
    process.umask(before)
  }
}

function replaceLink(link: string, target: string): void {
  const temporary = `${link}.${process.pid}`
  rmSync(temporary, { force: true })
  symlinkSync(target, temporary)
  renameSync(temporary, link)
}
