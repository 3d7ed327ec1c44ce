// Which package manager a project uses, where it installs, and the command that runs it.
import { below, type ProjectFiles } from './files.ts'
import { type PackageJson, parsePackageJson } from './package-json.ts'
import { lockFormat, npm, type PackageManager, packageManagers, yarnBerry } from './package-managers.ts'

export interface FoundManager {
  manager: PackageManager
  /** The folder with the lock file: the package's own, or the workspace that it belongs to. */
  dir: string
  /** `undefined` if nothing says which versions to install. */
  lockFile: string | undefined
  /** A word of a shell: the program that installs and runs scripts. */
  program: string
}

const lockFileBytes = 64 * 1024 * 1024
const headLength = 2_000

export async function findPackageManager(files: ProjectFiles, dir: string): Promise<FoundManager> {
  const found = (await lockedIn(files, dir)) ?? (await lockedAbove(files, dir))
  if (found) return found
  const root = (await workspaceAbove(files, dir)) ?? dir
  const pinned = pinOf(parsePackageJson(await files.read(below(root, 'package.json'))))
  const named = (await files.hasFile(below(root, pnpmWorkspace))) ? 'pnpm' : pinned?.name
  const manager = packageManagers.find(({ name }) => name === named) ?? npm
  const chosen = manager.name === 'yarn' && !isClassic(pinned?.version) ? yarnBerry : manager
  const pin = pinned?.name === chosen.name ? pinned : undefined
  return { manager: chosen, dir: root, lockFile: undefined, program: programOf(chosen, pin, '') }
}

const pnpmWorkspace = 'pnpm-workspace.yaml'

/** The workspace without a lock file that the package belongs to. */
async function workspaceAbove(files: ProjectFiles, dir: string): Promise<string | undefined> {
  for (let above = dir; above !== ''; ) {
    above = above.includes('/') ? above.slice(0, above.lastIndexOf('/')) : ''
    const patterns = await workspacePatterns(files, above)
    const path = above === '' ? dir : dir.slice(above.length + 1)
    if (patterns.length > 0)
      return patterns.some(pattern => matchesPattern(pattern, path)) ? above : undefined
  }
  return undefined
}

/** The patterns of a workspace's packages, such as `apps/*`. Empty if the folder is no workspace. */
async function workspacePatterns(files: ProjectFiles, dir: string): Promise<string[]> {
  const yaml = await files.read(below(dir, pnpmWorkspace))
  if (yaml !== undefined) return yaml.split('\n').flatMap(listItem)
  return parsePackageJson(await files.read(below(dir, 'package.json')))?.workspaces ?? []
}

/** The text of a line such as `- 'apps/*'`. */
function listItem(line: string): string[] {
  const text = line.trim()
  return text.startsWith('-')
    ? [
        text
          .slice(1)
          .trim()
          .replace(/^["']|["']$/g, ''),
      ]
    : []
}

/** `*` stands for one folder, and `**` at the end for any number. */
function matchesPattern(pattern: string, path: string): boolean {
  const expected = pattern.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  const folders = path.split('/')
  if (expected.at(-1) === '**') folders.length = Math.min(folders.length, expected.length)
  return (
    expected.length === folders.length &&
    expected.every((it, i) => it === '*' || it === '**' || it === folders[i])
  )
}

/** The workspace whose lock file covers the package. */
async function lockedAbove(files: ProjectFiles, dir: string): Promise<FoundManager | undefined> {
  for (let above = dir; above !== ''; ) {
    above = above.includes('/') ? above.slice(0, above.lastIndexOf('/')) : ''
    const found = await lockedIn(files, above)
    if (!found?.lockFile) continue
    const lock = (await files.read(found.lockFile, lockFileBytes)) ?? ''
    const path = above === '' ? dir : dir.slice(above.length + 1)
    return covers(found.manager, lock, path) && (await isWorkspace(files, above)) ? found : undefined
  }
  return undefined
}

async function lockedIn(files: ProjectFiles, dir: string): Promise<FoundManager | undefined> {
  const pinned = pinOf(parsePackageJson(await files.read(below(dir, 'package.json'))))
  const inOrder = [
    ...packageManagers.filter(({ name }) => name === pinned?.name),
    ...packageManagers.filter(({ name }) => name !== pinned?.name),
  ]
  for (const manager of inOrder)
    for (const name of manager.lockFiles) {
      const lockFile = below(dir, name)
      if (!(await files.hasFile(lockFile))) continue
      const head = ((await files.read(lockFile, lockFileBytes)) ?? '').slice(0, headLength)
      const isBerry = manager.name === 'yarn' && (lockFormat(head) > 0 || !isClassic(pinned?.version))
      const chosen = isBerry ? yarnBerry : manager
      const pin = pinned?.name === manager.name ? pinned : undefined
      return { manager: chosen, dir, lockFile, program: programOf(chosen, pin, head) }
    }
  return undefined
}

async function isWorkspace(files: ProjectFiles, dir: string): Promise<boolean> {
  if (await files.hasFile(below(dir, pnpmWorkspace))) return true
  return parsePackageJson(await files.read(below(dir, 'package.json')))?.workspaces !== undefined
}

/** Whether the lock file of a workspace names the package at this path. Those of yarn 1 and the binary one of bun do not say. */
function covers({ name }: PackageManager, lock: string, path: string): boolean {
  if (name === 'pnpm') return lock.includes(`\n  ${path}:`) || lock.includes(`\n  '${path}':`)
  if (name === 'npm' || lock.startsWith('{')) return lock.includes(`${JSON.stringify(path)}:`)
  return lockFormat(lock.slice(0, headLength)) === 0 || lock.includes(`workspace:${path}"`)
}

interface Pin {
  name: string
  version: string
  hasChecksum: boolean
}

/** What `packageManager` of package.json says, such as `pnpm@9.15.0+sha512.…`. */
function pinOf(manifest: PackageJson | undefined): Pin | undefined {
  const text = manifest?.packageManager ?? ''
  const [, name, version, checksum] =
    /^(npm|pnpm|yarn|bun)@(\d{1,9}(?:\.\d{1,9}){0,2}[\w.-]{0,50})(\+sha)?/.exec(text) ?? []
  return name && version ? { name, version, hasChecksum: checksum !== undefined } : undefined
}

const isClassic = (version: string | undefined): boolean => version === undefined || /^[01]\./.test(version)

/**
 * npm comes with Node. pnpm and yarn come from corepack, in the version that `packageManager` names or else in one that reads
 * the lock file. They come from the registry, as bun does, if corepack is not installed or cannot fetch them: old releases of
 * corepack do not know the registry's newer keys, and mirrors may leave signatures out.
 */
function programOf(manager: PackageManager, pinned: Pin | undefined, lockHead: string): string {
  const { name, formats } = manager
  if (name === 'npm') return 'npm'
  const format = lockFormat(lockHead)
  const version = formats.find(([from]) => lockHead === '' || format >= from)?.[1] ?? 'latest'
  const registry =
    manager === yarnBerry
      ? `npx --yes --package=@yarnpkg/cli-dist@${pinned?.version ?? version} yarn`
      : `${npxFor(name, pinned?.version ?? version)} --yes ${name}@${pinned?.version ?? version}`
  // corepack reads the pinned version, and its checksum, from package.json.
  const installed = name === 'bun' ? 'bun' : pinned ? `corepack ${name}` : `corepack ${name}@${version}`
  const program = installed.split(' ')[0]
  // Only corepack compares the checksum, so nothing takes its place if there is one.
  const works = name === 'bun' || pinned?.hasChecksum ? '' : ` && ${installed} --version >/dev/null 2>&1`
  return `$(command -v ${program} >/dev/null${works} && echo ${installed} || echo ${registry})`
}

/** npm warns about the variable that only pnpm 10 and earlier read. */
const npxFor = (name: string, version: string): string =>
  name === 'pnpm' && Number.parseInt(version, 10) > 10 ? 'env -u npm_config_store_dir npx' : 'npx'
