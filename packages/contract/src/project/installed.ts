// The packages that a package manager installed on a disk. Finds them as Node.js does, and reads what they depend on.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

export interface Manifest {
  workspaces?: unknown
  bin?: unknown
  dependencies?: object
  optionalDependencies?: object
  peerDependencies?: object
  peerDependenciesMeta?: Record<string, { optional?: boolean } | undefined>
}

export function readManifest(dir: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? manifest : {}
  } catch {
    return {} // A package without a readable package.json has no dependencies.
  }
}

/** The packages that it needs. Peers are among them, unless it calls them optional. */
export function requiredBy({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] {
  const isOptional = (name: string) => peerDependenciesMeta?.[name]?.optional === true
  const peers = Object.keys({ ...peerDependencies }).filter(name => !isOptional(name))
  return [...Object.keys({ ...dependencies }), ...peers]
}

/** The packages that it uses if they are installed. */
export const optionalFor = ({ optionalDependencies }: Manifest): string[] =>
  Object.keys({ ...optionalDependencies })

/** Looks in the node_modules folder of the importer's folder, and of each folder above it up to `top`. */
export function findInstalled(name: string, importer: string, top: string): string | undefined {
  if (name === '' || name.startsWith('.')) return undefined
  for (let dir = importer; dir === top || isBelow(dir, top); dir = dirname(dir)) {
    const at = join(dir, 'node_modules', name)
    if (basename(dir) !== 'node_modules' && isPackage(at)) return at
    if (dir === dirname(dir)) return undefined
  }
  return undefined
}

/** As for Node.js, a folder without these is none: the search goes on above it. */
const isPackage = (dir: string): boolean =>
  ['package.json', 'index.js'].some(file => existsSync(join(dir, file)))

export const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
