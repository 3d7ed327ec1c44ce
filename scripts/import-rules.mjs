// Who may import whom, as tables, and the check of one file against them. docs/architecture.md says why.
import { basename, dirname, join } from 'node:path'

/** Folders of packages/server/src, each with those below it. Roles never see each other. */
const below = ['lib', 'ports', 'store', 'core']
export const serverLayers = {
  lib: ['lib'],
  ports: ['lib', 'ports'],
  store: ['lib', 'ports', 'store'],
  core: below,
  api: [...below, 'api'],
  edge: [...below, 'edge'],
  runner: [...below, 'runner'],
  builder: [...below, 'builder'],
  jobs: [...below, 'jobs'],
}

/** Packages and the packages of ours they may import; clients know the contract and nothing else. */
const packageImports = {
  contract: [],
  cli: ['@svc/contract'],
  dashboard: ['@svc/contract'],
  server: ['@svc/contract'],
}

/** Modules that speak SQL, which the store alone does. */
const sqlModules = /^(kysely|pg|@photostructure\/sqlite|node:sqlite)(\/|$)/

/** Files of a port that every adapter shares, and so everyone may use. All others but these are adapters. */
const sharedParts = ['port.ts', 'pack-index.ts', 'pack-reader.ts', 'pack-writer.ts']

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

/** Tests and what is made for them may reach everywhere. */
const isTest = path => /\.test\.tsx?$|\/testing\/|\/(conformance|escapes|testbed)\.ts$|^e2e\//.test(path)

const importsOf = text =>
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
    layerOf(path) in serverLayers &&
    layerOf(path) !== 'store'
  ) {
    return `${path} imports ${specifier}; SQL lives in the store alone`
  }
}

function problemOfRelative(path, name, target) {
  if (!target.startsWith(`packages/${name}/`)) return `${path} imports ${target}, outside its package`
  if (name !== 'server') return undefined
  const from = layerOf(path)
  const to = layerOf(target)
  // Files at the root of src and in threads/ put the layers together.
  if (!(from in serverLayers)) return undefined
  if (!serverLayers[from].includes(to)) return `${path} imports ${target}; ${from} may not import ${to}`
  if (isAdapter(target) && portOf(path) !== portOf(target)) {
    return `${path} imports the adapter ${target}; adapters are chosen in compose, others use the port`
  }
}

/** The folder under packages/server/src, or the file's own name where there is none. */
const layerOf = path => path.split('/')[3]

/** The folder of a port, which may have folders of its own. */
const portOf = path => path.split('/').slice(0, 5).join('/')

const isAdapter = path => layerOf(path) === 'ports' && !sharedParts.includes(basename(path))
