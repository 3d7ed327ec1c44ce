// How a repository is built: which package manager installs, what builds, and where the result lies. All of it follows
// from the files that are there, unless the project says otherwise.
import type { ProjectRepoRow } from '../../store/tables.ts'

/** What a plan looks at: paths with `/` between their parts, relative to the folder that is built. */
export interface SourceFiles {
  hasFile(path: string): Promise<boolean>
  hasFolder(path: string): Promise<boolean>
  /** Undefined where it is missing, is no plain file, or is larger than anybody writes it. */
  read(path: string): Promise<string | undefined>
}

interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun'
  /** Any of these says that it is used. */
  lockFiles: readonly string[]
  install: string
}

/** The first whose lock file is there; npm where there is none. */
const packageManagers: readonly PackageManager[] = [
  { name: 'pnpm', lockFiles: ['pnpm-lock.yaml'], install: 'install --frozen-lockfile' },
  { name: 'yarn', lockFiles: ['yarn.lock'], install: 'install --frozen-lockfile' },
  { name: 'bun', lockFiles: ['bun.lock', 'bun.lockb'], install: 'install --frozen-lockfile' },
  {
    name: 'npm',
    lockFiles: ['package-lock.json', 'npm-shrinkwrap.json'],
    install: 'ci --no-audit --no-fund',
  },
]

const npmWithoutLock = 'install --no-audit --no-fund'

export interface Step {
  title: string
  line: string
}

export interface BuildPlan {
  install: Step | undefined
  build: Step | undefined
  /** The lock file's path, from which the cache of dependencies is named. */
  lockFile: string | undefined
  /** Dependencies of the package, by whose names frameworks are known. */
  dependencies: ReadonlySet<string>
  hasStart: boolean
}

interface Manifest {
  scripts?: Record<string, unknown>
  dependencies?: Record<string, unknown>
  devDependencies?: Record<string, unknown>
  packageManager?: unknown
  svc?: { start?: unknown }
}

export async function planBuild(
  files: SourceFiles,
  settings: Pick<ProjectRepoRow, 'build_cmd' | 'install_cmd'>,
): Promise<BuildPlan> {
  const manifest = readManifest(await files.read('package.json'))
  const found = await findPackageManager(files)
  const manager = found.manager
  const runner = manager && commandOf(manager.name, manifest?.packageManager)
  const berry = manager?.name === 'yarn' && (await files.hasFile('.yarnrc.yml'))
  const installLine =
    settings.install_cmd ??
    (manifest &&
      `${runner} ${berry ? 'install --immutable' : found.lockFile ? manager?.install : npmWithoutLock}`)
  const buildLine =
    settings.build_cmd ?? (typeof manifest?.scripts?.build === 'string' ? `${runner} run build` : undefined)
  const hasStart =
    (await files.hasFile('Procfile')) ||
    typeof manifest?.svc?.start === 'string' ||
    typeof manifest?.scripts?.start === 'string'
  return {
    install: installLine ? { title: `Installing: ${shown(installLine)}`, line: installLine } : undefined,
    build: buildLine ? { title: `Building: ${shown(buildLine)}`, line: buildLine } : undefined,
    lockFile: found.lockFile,
    dependencies: new Set([
      ...Object.keys(manifest?.dependencies ?? {}),
      ...Object.keys(manifest?.devDependencies ?? {}),
    ]),
    hasStart,
  }
}

async function findPackageManager(
  files: SourceFiles,
): Promise<{ manager: PackageManager | undefined; lockFile: string | undefined }> {
  for (const manager of packageManagers)
    for (const lockFile of manager.lockFiles) if (await files.hasFile(lockFile)) return { manager, lockFile }
  return { manager: packageManagers.at(-1), lockFile: undefined }
}

/**
 * npm comes with Node. The others come from corepack where that is installed, in the version that `packageManager` names,
 * and else from the registry.
 */
function commandOf(name: PackageManager['name'], pinned: unknown): string {
  if (name === 'npm') return 'npm'
  const [, version] = /^[a-z]+@([0-9]+\.[0-9]+\.[0-9]+)/.exec(typeof pinned === 'string' ? pinned : '') ?? []
  const wanted = version && typeof pinned === 'string' && pinned.startsWith(`${name}@`) ? version : undefined
  const fromRegistry = `npx --yes ${name === 'yarn' && !wanted ? 'yarn@1' : `${name}@${wanted ?? 'latest'}`}`
  return name === 'bun'
    ? fromRegistry
    : `$(command -v corepack >/dev/null && echo corepack ${name} || echo ${fromRegistry})`
}

/** Without what chooses the program. */
const shown = (line: string): string =>
  line.replace(/^\$\(.* corepack (\w+) .*?\)/, '$1').replace('npx --yes ', '')

function readManifest(text: string | undefined): Manifest | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {} // The package manager is run, and says what is wrong with the file.
  }
}

/** Where frameworks put what they build, by the dependency that they are known by. In the order in which it is looked for. */
const outputs: readonly (readonly [dependency: string, folders: readonly string[]])[] = [
  ['next', ['.next/standalone', 'out']],
  ['nuxt', ['.output', 'dist']],
  ['nitropack', ['.output']],
  ['nitro', ['.output']],
  ['@solidjs/start', ['.output']],
  ['@tanstack/react-start', ['.output', 'dist']],
  ['@sveltejs/kit', ['build']],
  ['astro', ['dist']],
  ['gatsby', ['public']],
  ['@docusaurus/core', ['build']],
  ['@11ty/eleventy', ['_site']],
  ['react-scripts', ['build']],
  ['vitepress', ['.vitepress/dist', 'docs/.vitepress/dist']],
]

const usualFolders = ['dist', 'build', 'out', '_site', '.output', 'public']

export interface Output {
  /** Empty for the folder that is built itself. */
  dir: string
  withNodeModules: boolean
}

/** Undefined where a build left nothing that can be published. */
export async function findOutput(
  files: SourceFiles,
  plan: BuildPlan,
  chosen: string | null,
): Promise<Output | undefined> {
  if (chosen !== null)
    return (await files.hasFolder(chosen)) ? { dir: chosen, withNodeModules: true } : undefined
  const root: Output = { dir: '', withNodeModules: plan.hasStart }
  if (!plan.build) return root
  for (const [dependency, folders] of outputs)
    if (plan.dependencies.has(dependency))
      for (const dir of folders) if (await files.hasFolder(dir)) return { dir, withNodeModules: true }
  for (const dir of usualFolders)
    if (await files.hasFile(`${dir}/index.html`)) return { dir, withNodeModules: true }
  if (plan.hasStart || (await files.hasFile('index.html'))) return root
  return undefined
}
