// The packages in node_modules folders: their files, their links and their dependencies. Knows the folders of npm, and the
// stores of pnpm, bun and yarn, where packages lie beside links to their dependencies.
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { findInstalled, readManifest, requiredBy } from '@svc/contract/project/installed'

export interface PackageFile {
  path: string
  bytes: number
}

export interface Package {
  name: string
  /** The real folder. */
  dir: string
  /** Without those of packages in a node_modules folder of its own. */
  files: PackageFile[]
  required: readonly string[]
  optional: readonly string[]
}

const stores = new Set(['.pnpm', '.bun', '.store'])
/** Folders that tools write to during a build. */
const caches = new Set(['.cache', '.vite', '.vite-temp', '.astro'])

export class Packages {
  /** By real folder. */
  readonly all = new Map<string, Package>()
  readonly links: string[] = []
  /** Folders of a store: each holds one package, and links to its dependencies. */
  readonly storeFolders: string[] = []
  /** Files of caches and of package managers, which no server needs. */
  readonly cached: PackageFile[] = []

  constructor(modulesFolders: readonly string[]) {
    for (const folder of modulesFolders) this.#addModules(realpathSync(folder), [])
  }

  /** The package that the file belongs to. */
  ofFile(file: string): Package | undefined {
    for (let dir = path.dirname(file); dir !== path.dirname(dir); dir = path.dirname(dir)) {
      const found = this.all.get(dir)
      if (found) return found
    }
    return undefined
  }

  /** Finds a package as Node does: in the node_modules of the importer's folder, and of each folder above. */
  find(name: string, importer: string): Package | undefined {
    const at = findInstalled(name, importer, path.parse(importer).root)
    return at === undefined ? undefined : this.all.get(realpathSync(at))
  }

  /** The packages, and all that they depend on. */
  withDependencies(start: Iterable<Package>): Set<Package> {
    const found = new Set<Package>(start)
    // Packages that are added during the loop are visited, too.
    for (const each of found)
      for (const name of [...each.required, ...each.optional]) {
        const dependency = this.find(name, each.dir)
        if (dependency) found.add(dependency)
      }
    return found
  }

  /** `programs` are the files of `.bin`, which belong to the package around the folder. */
  #addModules(folder: string, programs: PackageFile[]): void {
    for (const entry of entriesOf(folder)) {
      const at = path.join(folder, entry.name)
      if (entry.isSymbolicLink()) this.links.push(at)
      else if (!entry.isDirectory()) continue
      else if (stores.has(entry.name)) this.#addStore(at)
      else if (entry.name === '.bin') this.#addFiles(at, programs)
      else if (caches.has(entry.name)) this.#addFiles(at, this.cached)
      else if (entry.name.startsWith('@')) this.#addModules(at, programs)
      else this.#addPackage(at)
    }
  }

  #addStore(store: string): void {
    this.#addModules(path.join(store, 'node_modules'), [])
    for (const entry of entriesOf(store)) {
      const { name } = entry
      // Notes of the package manager, such as pnpm's lock.yaml.
      if (entry.isFile()) this.cached.push({ path: path.join(store, name), bytes: 0 })
      if (name === 'node_modules' || !entry.isDirectory()) continue
      this.storeFolders.push(path.join(store, name))
      this.#addModules(path.join(store, name, 'node_modules'), [])
      // yarn puts the package beside its node_modules.
      if (existsSync(path.join(store, name, 'package', 'package.json')))
        this.#addPackage(path.join(store, name, 'package'))
    }
  }

  #addPackage(dir: string): void {
    const files: PackageFile[] = []
    const manifest = readManifest(dir)
    this.all.set(dir, {
      name: nameOf(dir),
      dir,
      files,
      required: requiredBy(manifest),
      optional: [...manifest.optionalDependencies],
    })
    this.#addFiles(dir, files)
  }

  #addFiles(folder: string, files: PackageFile[]): void {
    for (const entry of entriesOf(folder)) {
      const at = path.join(folder, entry.name)
      if (entry.isSymbolicLink()) this.links.push(at)
      else if (entry.isFile()) files.push({ path: at, bytes: lstatSync(at).size })
      else if (!entry.isDirectory()) continue
      else if (entry.name === 'node_modules') this.#addModules(at, files)
      else this.#addFiles(at, files)
    }
  }
}

/** The path behind the last `node_modules`. */
const nameOf = (dir: string): string => dir.slice(dir.lastIndexOf('node_modules/') + 'node_modules/'.length)

export function entriesOf(dir: string) {
  return existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []
}
