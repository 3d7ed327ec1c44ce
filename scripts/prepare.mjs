// Brings a checkout to the point where it runs: installs and builds what is needed, and nothing else.
// Plain Node without dependencies, since it runs before anything is installed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprintOfContents, fingerprintOfFiles } from './fingerprint.mjs'
import { withLock } from './lock.mjs'
import { step } from './step.mjs'
import { ensureTools, findTool } from './tools.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const cache = join(root, '.cache')

const manifests = ['.', ...readdirSync(join(root, 'packages')).map(name => `packages/${name}`)]
const installInputs = [
  ...manifests.map(folder => join(folder, 'package.json')),
  'package-lock.json',
  '.npmrc',
]

const rootPages = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

/** What is built, in this order; each is built anew when one of its inputs changed or an output is gone. */
const builds = [
  {
    name: 'compile',
    label: 'Compiling',
    // Whole: its incremental mode was seen to miss changed files, and this table knows when nothing changed.
    program: ['node_modules/typescript/bin/tsc', '-b', '--force'],
    inputs: [
      'packages/contract',
      'packages/server',
      'packages/cli',
      'e2e',
      'tsconfig.json',
      'tsconfig.base.json',
    ],
    outputs: ['packages/contract/dist', 'packages/server/dist', 'packages/cli/dist', 'e2e/dist'],
  },
  {
    name: 'server',
    label: 'Bundling the server',
    program: ['packages/server/build.mjs'],
    inputs: ['packages/contract', 'packages/server'],
    outputs: ['packages/server/bundle'],
  },
  {
    name: 'bundle',
    label: 'Bundling the command line',
    program: ['packages/cli/build.mjs'],
    inputs: ['packages/contract', 'packages/cli'],
    outputs: ['packages/cli/bundle', 'packages/cli/dist/package'],
  },
  {
    name: 'dashboard',
    label: 'Building the dashboard',
    program: ['packages/dashboard/build.mjs'],
    inputs: ['packages/contract', 'packages/dashboard'],
    outputs: ['packages/dashboard/dist'],
  },
  {
    name: 'docs',
    label: 'Making the site of the docs',
    program: ['packages/docs/build.mjs'],
    inputs: [
      'docs',
      'packages/docs',
      'packages/contract',
      'packages/cli',
      'packages/dashboard/src/styles',
      'bench/README.md',
      ...rootPages,
    ],
    outputs: ['packages/docs/dist'],
  },
]

export async function prepare() {
  if (isInstalled() && builds.every(isBuilt)) return
  await withLock(join(cache, 'prepare.lock'), async () => {
    if (!isInstalled()) await install()
    for (const build of builds) if (!isBuilt(build)) await make(build)
  })
}

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`svc needs Node 20.19 or newer; this is ${process.version}.`)
  process.exit(1)
}

// ---- install

/** What a complete installation leaves; an interrupted one lacks at least one of these. */
const madeByInstall = [
  'node_modules/.package-lock.json',
  'node_modules/@photostructure/sqlite/dist/index.mjs',
]

const compilers = ['make', 'g++', 'python3']

/** Add-ons are compiled for one Node; another one needs them anew. */
const runtime = () => `${process.platform} ${process.arch} ${process.versions.modules}`
const installPrint = () => fingerprintOfContents(root, installInputs, runtime())
const isInstalled = () => existsSync(join(root, 'node_modules')) && stamp('install') === installPrint()

async function install() {
  const fresh =
    (stamp('runtime') ?? runtime()) !== runtime() ||
    !madeByInstall.every(path => existsSync(join(root, path)))
  const label = fresh ? 'Installing dependencies' : 'Updating dependencies'
  // `ci` starts from nothing; `install --no-save` changes only what the lock file changed, and not the lock file.
  const args = fresh && existsSync(join(root, 'package-lock.json')) ? ['ci'] : ['install', '--no-save']
  const run = () => step(label, ...npm(args), { cwd: root, env: { ...process.env, ...compilerSettings() } })
  try {
    await run()
  } catch (error) {
    // Most likely an add-on had to be compiled here and could not be.
    if (compilers.every(findTool)) throw error
    await ensureTools(compilers)
    await run()
  }
  setStamp('runtime', runtime())
  setStamp('install', installPrint())
}

/** The npm that runs us, else the one on the path. */
function npm(args) {
  const current = process.env.npm_execpath
  if (current && basename(current) === 'npm-cli.js') return [process.execPath, [current, ...args]]
  return ['npm', args]
}

/** All cores; and with the headers that came with Node, compiling an add-on needs no download. */
function compilerSettings() {
  const prefix = dirname(dirname(process.execPath))
  const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {}
  return { JOBS: 'max', ...headers }
}

// ---- build

const printOf = build => fingerprintOfFiles(root, build.inputs) + stamp('install')

const isBuilt = build =>
  build.outputs.every(path => existsSync(join(root, path))) && stamp(build.name) === printOf(build)

async function make(build) {
  // Taken before the work, so that a file saved during it is seen the next time.
  const print = printOf(build)
  for (const output of build.outputs) removeStaleTests(join(root, output))
  const [program, ...args] = build.program
  await step(build.label, process.execPath, [join(root, program), ...args], { cwd: root })
  setStamp(build.name, print)
}

/** The compiler leaves the output of a deleted source; a deleted test must not run on. */
function removeStaleTests(output) {
  if (!existsSync(output)) return
  for (const path of readdirSync(output, { recursive: true })) {
    if (!path.endsWith('.test.js')) continue
    const source = path.replace(/\.js$/, '.ts')
    const folders = [join(dirname(output), 'src'), dirname(output)]
    if (!folders.some(folder => existsSync(join(folder, source)))) rmSync(join(output, path))
  }
}

// ---- stamps

function stamp(name) {
  const file = join(cache, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function setStamp(name, value) {
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, name), value)
}
