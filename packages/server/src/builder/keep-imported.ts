// A script that the builder runs inside the sandbox of a build: of `node_modules` it keeps the packages that a built server
// imports, with their dependencies, and removes all others. Its arguments are the folder of the server and `node_modules`.
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'

const [output = '', modules = ''] = process.argv.slice(-2)
const root = realpathSync(modules)
/** The real folders of the packages that stay. */
const kept = new Set<string>()

const specifiers = /\b(?:from|import|require(?:\.resolve)?)[\s(]{0,20}["']([^"'\\\n]{1,200})["']/g

for (const file of readdirSync(output, { recursive: true, encoding: 'utf8' }))
  if (/\.[cm]?js$/.test(file) && !file.includes('node_modules'))
    for (const [, specifier = ''] of readFileSync(path.join(output, file), 'utf8').matchAll(specifiers))
      keep(packageOf(specifier), realpathSync(output))
const packages = removeOthers(root)
for (const link of folder(path.join(root, '.bin')))
  if (!existsSync(path.join(root, '.bin', link.name))) rmSync(path.join(root, '.bin', link.name))
console.log(`Kept ${kept.size} of ${packages} packages.`)

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function keep(name: string, importer: string): void {
  const dir = name === '' || name.startsWith('.') ? undefined : find(name, importer)
  if (dir === undefined || kept.has(dir)) return
  kept.add(dir)
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifestOf(dir)
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) keep(each, dir)
  for (const peer of Object.keys({ ...peerDependencies }))
    if (peerDependenciesMeta?.[peer]?.optional !== true) keep(peer, dir)
}

/** Finds a package as Node does: in the node_modules of the importer's folder, and of each folder above. */
function find(name: string, importer: string): string | undefined {
  for (let dir = importer; ; dir = path.dirname(dir)) {
    const found = path.join(dir, 'node_modules', name)
    if (path.basename(dir) !== 'node_modules' && existsSync(path.join(found, 'package.json'))) {
      const real = realpathSync(found)
      return real.startsWith(root + path.sep) ? real : undefined
    }
    if (dir === path.dirname(dir)) return undefined
  }
}

interface Manifest {
  dependencies?: object
  optionalDependencies?: object
  peerDependencies?: object
  peerDependenciesMeta?: Record<string, { optional?: boolean } | undefined>
}

function manifestOf(dir: string): Manifest {
  try {
    return JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) ?? {}
  } catch {
    return {} // A package without a readable package.json has no dependencies.
  }
}

/** Returns how many packages there were. */
function removeOthers(modulesDir: string): number {
  let count = 0
  for (const entry of folder(modulesDir)) {
    const at = path.join(modulesDir, entry.name)
    if (entry.name === '.pnpm') for (const { name } of folder(at)) count += removeOthers(storeOf(at, name))
    else if (entry.name.startsWith('@') && entry.isDirectory()) count += removeOthers(at)
    else if (!entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink())) {
      if (entry.isDirectory()) count++
      if (!existsSync(at) || !kept.has(realpathSync(at))) rmSync(at, { recursive: true, force: true })
      else if (entry.isDirectory()) count += removeOthers(path.join(at, 'node_modules'))
    } else if (entry.isDirectory() && entry.name !== '.bin') rmSync(at, { recursive: true, force: true })
  }
  return count
}

/** pnpm stores each package beside links to its dependencies, and has links to all packages in `.pnpm/node_modules`. */
function storeOf(store: string, name: string): string {
  return name === 'node_modules' ? path.join(store, name) : path.join(store, name, 'node_modules')
}

function folder(dir: string) {
  return existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []
}
