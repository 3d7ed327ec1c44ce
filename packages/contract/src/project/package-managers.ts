// The package managers that builds know, as data: by which files one is recognized, how it installs, and what it leaves
// behind that the next build can use.

export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun'
  /** A project with any of these files uses the package manager. */
  lockFiles: readonly string[]
  /** Arguments that install exactly what the lock file says. */
  frozen: string
  /** Arguments that install without a lock file. */
  loose: string
  /** Words of the error that says that the lock file does not fit package.json. `undefined` if only the author should mend that. */
  outOfStep?: string
  /**
   * Arguments that remove the packages that only the build needs, without the registry if the manager can. `undefined` if it
   * has no such command.
   */
  prune: string | undefined
  /** Other files that change what is installed. */
  settings: readonly string[]
  /** Files and folders that an install creates, besides the node_modules folders of all packages. */
  leaves: readonly string[]
  /** Variables that set its download caches: folders below the home directory of a build. */
  downloads: Readonly<Record<string, string>>
  /** Further variables of a build. */
  env?: Readonly<Record<string, string>>
  /** Scripts of the package itself that run at the end of an install. */
  scripts: readonly string[]
  /** Which version of the package manager to install for a lock file. A row holds from its `format` on. The newest format comes first. */
  formats: readonly (readonly [format: number, version: string])[]
}

const scripts = ['preinstall', 'install', 'postinstall', 'prepare']

/** npm also installs projects without a lock file. */
export const npm: PackageManager = {
  name: 'npm',
  lockFiles: ['package-lock.json', 'npm-shrinkwrap.json'],
  frozen: 'ci --no-audit --no-fund',
  loose: 'install --no-audit --no-fund',
  outOfStep: 'can only install packages when your package.json and package-lock.json',
  prune: 'prune --omit=dev --offline --no-audit --no-fund --ignore-scripts',
  settings: ['.npmrc'],
  leaves: [],
  downloads: { npm_config_cache: 'npm' },
  scripts,
  formats: [],
}

const pnpm: PackageManager = {
  name: 'pnpm',
  lockFiles: ['pnpm-lock.yaml'],
  frozen: 'install --frozen-lockfile',
  loose: 'install --no-frozen-lockfile',
  prune: 'prune --prod --ignore-scripts',
  settings: ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs'],
  leaves: [],
  // pnpm 10 and earlier read the first, pnpm 11 and later the second.
  downloads: { npm_config_store_dir: 'pnpm', pnpm_config_store_dir: 'pnpm' },
  // The build already runs the version that `packageManager` names. Without this, pnpm 11 and later refuse to install with a
  // lock file that does not record that version, such as one of pnpm 10.
  env: { pnpm_config_pm_on_fail: 'ignore' },
  scripts,
  formats: [
    [9, '10'],
    [6, '8'],
    [5.4, '7'],
    [0, '6'],
  ],
}

/** Version 1, which is called classic. */
const yarn: PackageManager = {
  name: 'yarn',
  lockFiles: ['yarn.lock'],
  frozen: 'install --frozen-lockfile --non-interactive',
  loose: 'install --non-interactive',
  prune: 'install --production --frozen-lockfile --ignore-scripts --prefer-offline --non-interactive',
  settings: ['.npmrc', '.yarnrc'],
  leaves: [],
  downloads: { YARN_CACHE_FOLDER: 'yarn' },
  scripts,
  formats: [[0, '1']],
}

/** Version 2 and later, which is called berry. */
export const yarnBerry: PackageManager = {
  name: 'yarn',
  lockFiles: ['yarn.lock'],
  frozen: 'install --immutable',
  loose: 'install --no-immutable',
  prune: undefined,
  settings: ['.yarnrc.yml'],
  leaves: [
    ...['.pnp.cjs', '.pnp.loader.mjs', '.yarn/cache', '.yarn/unplugged'],
    ...['.yarn/install-state.gz', '.yarn/build-state.yml'],
  ],
  downloads: {},
  // Plug'n'Play runs packages from their downloaded archives, so the archives stay in the project.
  env: { YARN_ENABLE_GLOBAL_CACHE: 'false', YARN_ENABLE_TELEMETRY: '0' },
  scripts: scripts.slice(0, 3),
  formats: [
    [8, '4'],
    [6, '3'],
    [0, '2'],
  ],
}

const bun: PackageManager = {
  name: 'bun',
  lockFiles: ['bun.lock', 'bun.lockb'],
  frozen: 'install --frozen-lockfile',
  loose: 'install',
  prune: undefined,
  settings: ['.npmrc', 'bunfig.toml'],
  leaves: [],
  downloads: { BUN_INSTALL_CACHE_DIR: 'bun' },
  scripts,
  formats: [[0, '1']],
}

/** In the order in which their lock files are looked for. */
export const packageManagers: readonly PackageManager[] = [pnpm, yarn, bun, npm]

/** The format's version, as the first lines of a lock file of pnpm or yarn say it; 0 if they do not. */
export function lockFormat(head: string): number {
  const [, version] =
    /^(?:lockfileVersion|__metadata:\s{1,9}version): ['"]?(\d{1,4}(?:\.\d{1,4})?)/m.exec(head) ?? []
  return Number(version ?? 0)
}
