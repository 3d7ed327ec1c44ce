// Collects the installed packages that a server needs, with their dependencies. It finds them as Node.js does: in the
// node_modules folder of the importer's folder, and of each folder above it up to the root of the workspace.
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import { type PackageJson, packageManagers } from '@svc/contract/project'
import { findInstalled, isBelow, readManifest, requiredBy } from '@svc/contract/project/installed'
import { readLink } from './links.ts'
import { describeFile, type Site } from './list.ts'

/** The files and links of the packages, at the places below `node_modules` where the server in the site finds them. */
export function collectPackages(project: string, names: Iterable<string>): Site {
  const collected = new Packages(realpathSync(project))
  for (const name of names) collected.addProgramsOf(name)
  collected.addDependencies()
  return collected.site
}

/** The folder of a package that is installed for the project. */
function installedAt(project: string, name: string): string | undefined {
  const dir = realpathSync(project)
  return findInstalled(name, dir, topOf(dir))
}

export const isInstalled = (project: string, name: string): boolean =>
  installedAt(project, name) !== undefined

/** The programs of a package, which scripts call by name. */
export function programNames(project: string, name: string): string[] {
  const dir = installedAt(project, name)
  return dir === undefined ? [] : programsOf(name, readManifest(dir)).map(([program]) => program)
}

class Packages {
  readonly site: Site = { files: [], links: new Map() }
  readonly #project: string
  readonly #top: string
  /** Real folders. Packages that are added during a loop over it are visited, too. */
  readonly #packages = new Set<string>()
  /** Where packages of the workspace are uploaded, by their real folders: at the link through which one was found. */
  readonly #ofWorkspace = new Map<string, string>()

  constructor(project: string) {
    this.#project = project
    this.#top = topOf(project)
  }

  /** Adds a package of the project, and links to its programs, which a start command may call by name. */
  addProgramsOf(name: string): void {
    const dir = this.#add(name, this.#project)
    if (dir === undefined) return
    for (const [program, file] of programsOf(name, readManifest(dir)))
      if (existsSync(join(dir, file)))
        this.site.links.set(`node_modules/.bin/${program}`, posix.join('..', name, file))
  }

  addDependencies(): void {
    for (const dir of this.#packages) {
      const manifest = readManifest(dir)
      for (const name of [...requiredBy(manifest), ...manifest.optionalDependencies]) this.#add(name, dir)
    }
  }

  /** Returns the real folder of the package. `undefined` if it is not installed, as optional ones may not be. */
  #add(name: string, importer: string): string | undefined {
    const found = findInstalled(name, importer, this.#top)
    if (found === undefined) return undefined
    const dir = realpathSync(found)
    if (!isBelow(dir, this.#top)) return undefined
    const place = this.#placeOf(found)
    if (!dir.includes(`${sep}node_modules${sep}`) && !this.#ofWorkspace.has(dir))
      this.#ofWorkspace.set(dir, place)
    const at = this.#placeOf(dir)
    if (at !== place) this.site.links.set(place, posix.relative(posix.dirname(place), at))
    if (this.#packages.has(dir)) return dir
    this.#packages.add(dir)
    this.#addFiles(dir, at)
    return dir
  }

  /** The path in the upload. */
  #placeOf(path: string): string {
    for (const [dir, place] of this.#ofWorkspace)
      if (path === dir || isBelow(path, dir)) return posix.join(place, toPosix(relative(dir, path)))
    const [, ...behind] = path.split(`${sep}node_modules${sep}`)
    return toPosix(
      join('node_modules', ...behind.flatMap((part, i) => (i === 0 ? [part] : ['node_modules', part]))),
    )
  }

  #addFiles(folder: string, at: string): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === '.git') continue
      const source = join(folder, entry.name)
      const path = `${at}/${entry.name}`
      if (entry.isDirectory()) this.#addFiles(source, path)
      if (entry.isFile()) this.site.files.push({ ...describeFile(source, path), source })
      if (entry.isSymbolicLink()) this.site.links.set(path, readLink(folder, entry.name))
    }
  }
}

/** The folder with the lock file: that of the project, or of its workspace. A workspace may have no lock file yet. */
function topOf(project: string): string {
  const marks = [...packageManagers.flatMap(manager => manager.lockFiles), 'pnpm-workspace.yaml']
  for (let dir = project; ; dir = dirname(dir)) {
    if (marks.some(file => existsSync(join(dir, file))) || readManifest(dir).workspaces) return dir
    if (dir === dirname(dir)) return project
  }
}

const toPosix = (path: string): string => path.split(sep).join('/')

/** The file of each program, by its name. */
function programsOf(name: string, { fields: { bin } }: PackageJson): [string, string][] {
  if (typeof bin === 'string') return [[basename(name), bin]]
  return Object.entries({ ...(bin as object) }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[0].includes('/'),
  )
}
