// The cache key of an install. Two builds with the same key install the same packages.
import { createHash } from 'node:crypto'
import {
  type BuildPlan,
  below,
  type PackageJson,
  type ProjectFiles,
  parsePackageJson,
} from '@svc/contract/project'

interface InstallInputs {
  files: ProjectFiles
  plan: BuildPlan
  /** The project's variables. An install script may read any of them. */
  env: Readonly<Record<string, string>>
  /** The operating system and Node version. */
  machine: string
}

const lockFileBytes = 64 * 1024 * 1024
const foldersAtMost = 5_000
const manifestsAtMost = 500

/** The fields of a package.json that an install reads. */
const relevantFields = [
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'],
  ...[
    'bundledDependencies',
    'peerDependenciesMeta',
    'dependenciesMeta',
    'overrides',
    'resolutions',
    'engines',
  ],
  ...['workspaces', 'packageManager', 'pnpm', 'os', 'cpu', 'bin', 'name', 'trustedDependencies'],
] as const

/** `undefined` if files that are not hashed here can affect the install. Then there is no caching. */
export async function installKey({ files, plan, env, machine }: InstallInputs): Promise<string | undefined> {
  const { manager: found, install } = plan
  if (!found?.lockFile || !install?.line.startsWith(found.program)) return undefined
  const { manager, dir, lockFile, program } = found
  if (await files.hasFolder(below(dir, 'node_modules'))) return undefined
  const lock = await files.read(lockFile, lockFileBytes)
  if (lock === undefined || !pinsEverything(lock)) return undefined
  const paths = await manifestPaths(files, dir)
  if (!paths) return undefined
  const manifests: [string, unknown][] = []
  for (const path of paths) {
    const manifest = parsePackageJson(await files.read(path))
    // After a restore, the scripts of the package itself run again. Scripts of other workspace packages do not.
    const isOwn = path === below(dir, 'package.json')
    if (!isOwn && manager.scripts.some(name => manifest?.scripts.has(name))) return undefined
    manifests.push([path, relevant(manifest, isOwn ? manager.scripts : [])])
  }
  const settings = await Promise.all(manager.settings.map(name => files.read(below(dir, name))))
  const inputs = [machine, manager.name, program, install.line, dir, lock, settings, manifests]
  return createHash('sha256')
    .update(JSON.stringify([...inputs, Object.entries(env).sort()]))
    .digest('hex')
}

/** A dependency on a local folder can change without the lock file. A local archive cannot, because its checksum is locked. */
const pinsEverything = (lock: string): boolean =>
  lock
    .split('file:')
    .slice(1)
    .every(rest => /^[^"'\s,)]{1,500}\.(?:tgz|tar\.gz)/.test(rest.slice(0, 600)))

function relevant(manifest: PackageJson | undefined, scripts: readonly string[]): unknown {
  return [
    relevantFields.map(name => manifest?.fields[name]),
    scripts.map(name => manifest?.scripts.get(name)),
  ]
}

/** All package.json files of the workspace, or `undefined` if there are too many to look at. */
async function manifestPaths(files: ProjectFiles, dir: string): Promise<string[] | undefined> {
  const paths: string[] = []
  const folders = [dir]
  for (let i = 0; i < folders.length; i++) {
    const folder = folders[i] ?? ''
    const manifest = below(folder, 'package.json')
    if (await files.hasFile(manifest)) paths.push(manifest)
    if (paths.length > manifestsAtMost || folders.length > foldersAtMost) return undefined
    for (const name of await files.folders(folder))
      if (name !== 'node_modules') folders.push(below(folder, name))
  }
  return paths.sort()
}
