// Tells whether a push changes what a folder of a monorepo uses outside of the folder: files of its workspace that belong to no
// package, such as the lock file, and the packages that it depends on.
import { below, type PackageJson, parsePackageJson } from '@svc/contract/project'
import type { GitRepos } from '../../ports/git-repos/port.ts'

/** With more than this many changed files or packages, the folder is built without a closer look. */
const mostFiles = 1_000
const mostPackages = 100
/** The paths are arguments of git, which may be about 2 MB together. */
const mostPathBytes = 256 * 1024
/** npm allows no longer name. */
const mostNameLength = 214

/** Files at the top of a workspace that no build reads. */
const isProse = (file: string): boolean => file.endsWith('.md') || file.startsWith('.github/')

export async function workspaceDiffers(
  repos: GitRepos,
  id: string,
  { from, to, folder }: { from: string; to: string; folder: string },
): Promise<boolean> {
  const manifestOf = async (dir: string): Promise<PackageJson | undefined> =>
    parsePackageJson(await repos.read(id, to, below(dir, 'package.json')))
  const workspace = await findWorkspace(folder)
  if (workspace === undefined) return false
  const changes = await repos.changes(id, from, to)
  if (changes === undefined || changes.length > mostFiles) return true
  const start = workspace === '' ? '' : `${workspace}/`
  const inside = changes.filter(file => file.startsWith(start))
  const packages = await packagesOf(inside)
  if (packages === undefined || packages.size > mostPackages) return true
  const isShared = (file: string) => !isProse(file.slice(start.length)) && !ownerOf(file, packages)
  return inside.some(isShared) || (await anyIsUsed(packages))

  /** The nearest directory above the folder that is a workspace. */
  async function findWorkspace(dir: string): Promise<string | undefined> {
    for (const above of directoriesAbove(dir)) {
      const settings = below(above, 'pnpm-workspace.yaml')
      if ((await repos.present(id, to, [settings])).size > 0) return above
      if ((await manifestOf(above))?.workspaces !== undefined) return above
    }
    return undefined
  }

  /** The directories below the workspace that have a package.json and one of the files. `undefined` if there are too many. */
  async function packagesOf(files: readonly string[]): Promise<Set<string> | undefined> {
    const directories = new Set(files.flatMap(directoriesAbove))
    const manifests = [...directories].filter(dir => dir.length > (workspace ?? '').length).map(manifestIn)
    if (manifests.join('').length > mostPathBytes) return undefined
    const found = await repos.present(id, to, manifests)
    return new Set([...found].map(parentOf))
  }

  /** Whether the folder depends on one of the packages, directly or through other packages. */
  async function anyIsUsed(changed: ReadonlySet<string>): Promise<boolean> {
    const names = new Set<string>()
    for (const dir of changed) addName(names, await manifestOf(dir))
    // Names that are added during the loop are visited too.
    for (const name of names) {
      const users = (await repos.search(id, to, 'package.json', JSON.stringify(name))).map(parentOf)
      if (users.includes(folder) || names.size + users.length > mostPackages) return true
      for (const user of users) addName(names, await manifestOf(user))
    }
    return false
  }
}

function addName(names: Set<string>, manifest: PackageJson | undefined): void {
  const name = manifest?.name ?? ''
  if (name !== '' && name.length <= mostNameLength) names.add(name)
}

const manifestIn = (dir: string): string => below(dir, 'package.json')
const parentOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))

/** The directories that contain the file, the nearest first. The last one is the top of the repository. */
function directoriesAbove(file: string): string[] {
  const above = [parentOf(file)]
  while (above.at(-1) !== '') above.push(parentOf(above.at(-1)!))
  return above
}

const ownerOf = (file: string, packages: ReadonlySet<string>): string | undefined =>
  directoriesAbove(file).find(dir => packages.has(dir))
