// The files of a server outside of node_modules, and the packages that they need.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { codeBytes, isScript, packageNameIn, specifiersIn } from '@svc/contract/project/imports'
import { nodeFileTrace } from '@vercel/nft'
import { entriesOf, type Package, type Packages } from './packages.ts'

interface ServerFiles {
  count: number
  bytes: number
  /** The files with code that may run on the server. */
  code: string[]
  /** The node_modules folders among the files. */
  modules: string[]
}

export function serverFiles(folder: string): ServerFiles {
  const found: ServerFiles = { count: 0, bytes: 0, code: [], modules: [] }
  const visit = (dir: string): void => {
    for (const entry of entriesOf(dir)) {
      const at = path.join(dir, entry.name)
      if (entry.isDirectory() && entry.name === 'node_modules') found.modules.push(at)
      else if (entry.isDirectory() && entry.name !== '.git') visit(at)
      if (!entry.isFile()) continue
      const { size } = lstatSync(at)
      found.count++
      found.bytes += size
      if (isScript(entry.name) && size <= codeBytes) found.code.push(at)
    }
  }
  visit(folder)
  return found
}

/** The packages that the code names in imports. */
export function namedPackages(code: readonly string[], packages: Packages): Set<Package> {
  const named = new Set<Package>()
  for (const file of code)
    for (const specifier of specifiersIn(file)) {
      const found = packages.find(packageNameIn(specifier), path.dirname(file))
      if (found) named.add(found)
    }
  return named
}

/** Follows the imports of the code through all packages. Returns every file that it may load, by real path. */
export async function traceFiles(code: string[], base: string): Promise<Set<string>> {
  // Files outside of `base` are neither read nor listed.
  const { fileList } = await nodeFileTrace(code, { base, fileIOConcurrency: 64 })
  return new Set([...fileList].map(file => path.join(base, file)))
}
