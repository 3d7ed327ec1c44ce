// Who may import whom, as tables, and the check of one file against them. docs/architecture.md says why.
import { basename, dirname, join } from 'node:path'

/** Folders and files of packages/server/src, each with those that it may import. Roles never see each other. */
const below = ['lib', 'ports', 'store', 'core']
const roles = ['api', 'edge', 'runner', 'builder', 'jobs']
const settings = ['config', 'data-directory', 'data-owner', 'key-file', 'private-directory', 'log', 'version']
/** Everyone may import this. */
const everywhere = 'program-files'
const layers = {
  [everywhere]: [],
  lib: [],
  ports: ['lib'],
  store: ['lib', 'ports', 'version'],
  core: ['lib', 'ports', 'store'],
  ...Object.fromEntries(roles.map(role => [role, below])),
  config: ['lib', 'ports'],
  version: [],
  log: ['config'],
  'private-directory': ['config'],
  'key-file': ['lib', 'config'],
  'data-owner': ['lib', 'config'],
  'data-directory': ['lib', 'config', 'key-file', 'private-directory', 'data-owner'],
  threads: below,
  listener: [...below, 'api', 'edge'],
  'edge-workers': [...below, 'edge', 'listener', 'threads', 'config', 'log'],
  nodes: [...below, 'edge', 'listener'],
  compose: [...below, ...roles, ...settings, 'threads', 'listener', 'edge-workers', 'nodes'],
  commands: [...below, ...roles, ...settings, 'threads', 'compose'],
  main: ['lib', 'config', 'version', 'commands'],
}

/**
 * The floors of packages/server/src/core, from the bottom. A noun imports only nouns of the floors below its own. If it needs
 * one above, it takes a function instead, as `confirmEmail` does.
 */
export const floors = [
  ['base'],
  ['orgs'],
  ['identity'],
  ['forms', 'stats', 'env', 'access', 'disk'],
  ['notifications', 'logs', 'ai'],
  ['crons', 'databases', 'deployments', 'billing'],
  ['apps', 'builds'],
  ['domains'],
  ['projects'],
  ['shares'],
  ['platform'],
  ['admin'],
]

/** Files that a process begins with; they may import compose, wherever they are. */
const entryPoints = ['packages/server/src/edge-workers/worker.ts']

/** Layers that name adapters. All others use the ports. */
const choosing = ['compose', 'commands', 'threads', 'config']

/** Packages and the packages of ours they may import; clients know the contract and nothing else. The docs show the commands of the command line, too. */
const packageImports = {
  contract: [],
  cli: ['@svc/contract'],
  dashboard: ['@svc/contract'],
  docs: ['@svc/contract', '@svc/cli'],
  server: ['@svc/contract'],
}

/**
 * Folders that the rest of their package does not import, but for the files and folders named as doors, and but for the file
 * named as entry. If `sees` is given, the folder itself imports nothing else of its package.
 */
const walls = [
  {
    folder: 'packages/server/src/edge/lanes/',
    doors: [],
    entry: 'packages/server/src/edge/lanes/lanes.ts',
    sees: ['packages/server/src/lib/', 'packages/server/src/core/stats/fields.ts'],
    why: 'the lanes and the rest of the server know each other by lanes/lanes.ts alone',
  },
  {
    folder: 'packages/cli/src/import/',
    doors: ['packages/cli/src/commands/projects/table.ts'],
    why: "'svc import' is a program of its own, which only its row in the table of commands loads",
  },
  {
    folder: 'packages/contract/src/project/',
    doors: [],
    why: 'the rules for projects build on the rest of the contract, and not the other way round',
  },
]

/** Modules that speak SQL, which the store alone does. */
const sqlModules = /^(kysely|pg|@photostructure\/sqlite|node:sqlite)(\/|$)/

/** The data directory is locked with a SQLite file. */
const speakSql = ['store', 'data-directory']

/** The databases of projects are no rows of the platform. */
const ofProjects = 'packages/server/src/ports/databases/'

/** Files of a port that every adapter shares, and so everyone may use. All others but these are adapters. */
const sharedParts = ['port.ts', 'pack-index.ts', 'pack-reader.ts', 'pack-writer.ts', 'verify.ts']

/** Source texts that are refused, and the file that may hold them all the same. */
const refusedTexts = [
  {
    pattern: /\bprocess\.env\b/,
    scope: /^packages\/(server|contract)\/src\//,
    except: 'packages/server/src/config.ts',
    why: 'reads process.env; settings are read in packages/server/src/config.ts alone',
  },
  {
    pattern: /\bshell:\s*true\b|\bimport\s*\{[^}]*\b(exec|execSync)\b[^}]*\}\s*from 'node:child_process'/,
    scope: /^(packages|e2e)\//,
    why: 'runs a shell; start child processes with an argv array',
  },
  {
    pattern: /\bimport\s*\{[^}]*\b(?<!type )(spawn|fork)\b[^}]*\}\s*from 'node:child_process'/,
    scope: /^packages\/server\/src\//,
    except: 'packages/server/src/lib/start-program.ts',
    why: 'starts a process by itself; use packages/server/src/lib/start-program.ts, since an error without a listener ends svcd',
  },
  {
    pattern: /\bnew Worker\(/,
    scope: /^packages\/server\/src\//,
    why: 'starts a thread that is terminated; use packages/server/src/lib/self-ending-worker.ts, since Node may end svcd with it',
  },
  {
    pattern: /\bserver\.once\('error'/,
    scope: /^packages\/server\/src\//,
    why: "listens for one error of a server; use server.on('error'), since the next one without a listener ends svcd",
  },
  {
    pattern: /\b(?:href|to)=(?:"|\{[`'])\/|\bnavigate\([`']\//,
    scope: /^packages\/dashboard\/src\//,
    why: 'writes a link by hand; use href() of packages/dashboard/src/paths.ts, which knows the pages',
  },
]

/** @returns {string[]} what is wrong with the file, in words */
export function problemsOf(path, text) {
  if (isTest(path)) return []
  return [
    ...importsOf(text).flatMap(specifier => problemOfImport(path, specifier) ?? []),
    ...refusedTexts
      .filter(({ pattern, scope, except }) => scope.test(path) && path !== except && pattern.test(text))
      .map(({ why }) => `${path} ${why}`),
  ]
}

/** Tests and the files that only tests use. They may import everything. */
export const isTest = path =>
  /\.test\.tsx?$|\/testing\/|\/(conformance|escapes|testapp|testbed)\.ts$|^e2e\//.test(path)

export const importsOf = text =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, specifier]) => specifier)

function problemOfImport(path, specifier) {
  const [, name] = path.split('/')
  if (specifier.startsWith('.')) return problemOfRelative(path, name, join(dirname(path), specifier))
  if (specifier.startsWith('@svc/')) {
    const allowed = packageImports[name].some(own => specifier === own || specifier.startsWith(`${own}/`))
    return allowed ? undefined : `${path} imports ${specifier}; ${name} may not`
  }
  if (
    name === 'server' &&
    sqlModules.test(specifier) &&
    !speakSql.includes(layerOf(path)) &&
    !path.startsWith(ofProjects)
  ) {
    return `${path} imports ${specifier}; SQL lives in the store alone`
  }
}

function problemOfRelative(path, name, target) {
  if (!target.startsWith(`packages/${name}/`)) return `${path} imports ${target}, outside its package`
  const wall = walls.find(
    wall =>
      target.startsWith(wall.folder) !== path.startsWith(wall.folder) && !isThroughWall(wall, path, target),
  )
  if (wall) return `${path} imports ${target}; ${wall.why}`
  if (name !== 'server') return undefined
  const from = layerOf(path)
  const to = layerOf(target)
  if (!(from in layers)) return `${path} is in no layer; add ${from} to scripts/import-rules.mjs`
  const isAllowed =
    from === to ||
    to === everywhere ||
    layers[from].includes(to) ||
    (to === 'compose' && entryPoints.includes(path))
  if (!isAllowed) return `${path} imports ${target}; ${from} may not import ${to}`
  if (isAdapter(target) && portOf(path) !== portOf(target) && !choosing.includes(from)) {
    return `${path} imports the adapter ${target}; adapters are chosen in compose, others use the port`
  }
  if (from === 'core' && to === 'core') return problemOfFloors(path, target)
}

/** One of both files is behind the wall. */
function isThroughWall({ folder, doors, entry, sees }, path, target) {
  if (path.startsWith(folder)) return sees === undefined || sees.some(seen => target.startsWith(seen))
  return target === entry || doors.some(door => path.startsWith(door))
}

function problemOfFloors(path, target) {
  const [from, to] = [nounOf(path), nounOf(target)]
  const floor = floorOf(from)
  if (floor < 0) return `${path} is on no floor; add core/${from} to floors in scripts/import-rules.mjs`
  if (from !== to && floorOf(to) >= floor)
    return `${path} imports ${target}; ${from} may only import nouns of the floors below it, see scripts/import-rules.mjs`
}

/** The folder under packages/server/src/core. */
const nounOf = path => path.split('/')[4]

const floorOf = noun => floors.findIndex(nouns => nouns.includes(noun))

/** The folder under packages/server/src, or the name of the file where there is none: `config` for config.ts and config/. */
const layerOf = path => path.split('/')[3].replace(/\.ts$/, '')

/** The folder of a port, which may have folders of its own. */
const portOf = path => path.split('/').slice(0, 5).join('/')

const isAdapter = path => layerOf(path) === 'ports' && !sharedParts.includes(basename(path))
