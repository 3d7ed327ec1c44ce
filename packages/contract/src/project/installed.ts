// The packages that a package manager installed on a disk. Finds them as Node.js does, and reads what they depend on.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { type PackageJson, packageOf, parsePackageJson } from './package-json.ts'

/** A package without a readable package.json has no dependencies. */
export function readManifest(dir: string): PackageJson {
  try {
    return parsePackageJson(readFileSync(join(dir, 'package.json'), 'utf8')) ?? packageOf({})
  } catch {
    return packageOf({}) // There is none.
  }
}

/** The packages that it needs. Peers are among them, unless it calls them optional. */
export const requiredBy = ({
  dependencies,
  optionalDependencies,
  peerDependencies,
}: PackageJson): string[] => [
  ...[...dependencies].filter(name => !optionalDependencies.has(name)),
  ...peerDependencies,
]

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
