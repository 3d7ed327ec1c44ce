// `svc deploy --build`: runs the project's build command, and finds the folder that it made.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import {
  buildScript,
  detectServer,
  expectedOutput,
  findOutput,
  isExcluded,
  nextServerIn,
  npm,
  type Output,
  packageManagers,
  readPackageJson,
  readStart,
  type SiteFiles,
  startsServer,
} from '@svc/contract/site'
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { buildSettings } from '../link.ts'
import { notice } from '../output.ts'
import type { Site } from './list.ts'
import { collectPackages } from './packages.ts'
import { packagesOfCommand, packagesOfFolder } from './server-imports.ts'

export interface BuiltSite extends Output {
  /** The packages that the server needs and that are not in the folder. `undefined` for a static site. */
  packages?: Site
}

/** Builds the project of the working directory. `asked` is the folder that the user named, if any. */
export async function buildSite(asked: string | undefined): Promise<BuiltSite> {
  const settings = buildSettings()
  const command = settings.build ?? (await detectCommand())
  if (command !== undefined) await runBuild(command, await nextSettings())
  const folder = asked ?? settings.output
  if (folder === undefined) return await withServerPackages(await detectOutput())
  if (!existsSync(folder)) throw new Failure(`The build made no folder ${folder}.`, { hint: sayOutput })
  return await withServerPackages({ folder, needsModules: false })
}

/** Builds that have their packages inside, such as the standalone server of Next.js, need no others. */
async function withServerPackages(output: Output): Promise<BuiltSite> {
  if (output.needsModules) return output
  const { app } = await detectServer(filesIn(output.folder))
  if (!app) return output
  const isProject = resolve(output.folder) === resolve('.')
  if (!isProject) return { ...output, packages: collectPackages('.', packagesOfFolder('.', output.folder)) }
  const manifest = await readPackageJson(projectFiles)
  const line = app.command[0] === '/bin/sh' ? (app.command[2] ?? '') : app.command.join(' ')
  return { ...output, packages: manifest && collectPackages('.', packagesOfCommand('.', line, manifest)) }
}

const sayOutput = 'Name the folder that the build makes in svc.json: "output": "<folder>"'

/** `undefined` for a server without a build script: its packages are all that it needs. */
async function detectCommand(): Promise<string | undefined> {
  const manifest = await readPackageJson(projectFiles)
  const script = manifest && buildScript(manifest.scripts)
  if (!script && (await detectServer(projectFiles)).app) return undefined
  if (!script)
    throw new Failure('There is nothing to build: package.json has no build script.', {
      hint: 'Name the command in svc.json: "build": "<command>"',
    })
  const manager = packageManagers.find(({ lockFiles }) => lockFiles.some(file => existsSync(file))) ?? npm
  return `${manager.name} run ${script}`
}

/** Makes Next.js build a standalone server, which takes the place of `next start` and needs no other packages. */
async function nextSettings(): Promise<Record<string, string>> {
  const manifest = await readPackageJson(projectFiles)
  const start = manifest && readStart(manifest, path => existsSync(path))
  const isNext = start?.starts === 'server' && start.framework === 'next-start'
  return isNext ? { NEXT_PRIVATE_STANDALONE: 'true' } : {}
}

/** Runs the command as a script of package.json would run, and shows its output on stderr: stdout is for the result. */
async function runBuild(command: string, env: Record<string, string>): Promise<void> {
  notice(`Building: ${command}`)
  // The build runs the code of other people and needs no token of the platform.
  const [shell, ...args] = inShell(command)
  const child = spawn(shell, args, {
    env: { ...environment.withoutToken(), ...env },
    stdio: ['inherit', process.stderr, process.stderr],
    windowsVerbatimArguments: true,
  })
  const ended = await new Promise<number | string>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1))
  })
  if (ended === 0) return
  const how = typeof ended === 'number' ? `with exit code ${ended}` : `by ${ended}`
  throw new Failure(`The build ended ${how}: ${command}. Nothing was deployed.`)
}

/** The shell that npm uses for scripts. The command is the user's own, from svc.json or package.json. */
const inShell = (command: string): [string, ...string[]] =>
  process.platform === 'win32'
    ? [environment.windowsShell(), '/d', '/s', '/c', `"${command}"`]
    : ['/bin/sh', '-c', command]

/** The folder of the framework, then the directory itself if it is a server, then any other built folder. */
async function detectOutput(): Promise<Output> {
  const manifest = await readPackageJson(projectFiles)
  const expected = manifest && expectedOutput(manifest)
  if (expected && isFile(join(expected.folder, 'index.html'))) return expected
  const output = findOutput(projectFiles, manifest)
  if (output?.folder === standalone) completeStandalone()
  const isServer = output !== undefined && (await detectServer(filesIn(output.folder))).app !== undefined
  if (isServer) return output
  if (await startsServer(projectFiles, manifest)) return { folder: '.', needsModules: false }
  if (output) return output
  if ((await detectServer(projectFiles)).app) return { folder: '.', needsModules: false }
  throw new Failure('The build made no folder that svc recognizes as a site.', { hint: sayOutput })
}

const standalone = '.next/standalone'

/**
 * Next.js leaves these folders out of its standalone build, because it takes a CDN to serve them. In a workspace the server
 * is not at the top of the build, so a Procfile says where it is.
 */
function completeStandalone(): void {
  const server = nextServerIn(projectFiles, standalone) ?? standalone
  for (const folder of ['.next/static', 'public'])
    if (existsSync(folder)) cpSync(folder, join(server, folder), { recursive: true })
  const nested = posix.relative(standalone, server)
  if (nested !== '') writeFileSync(join(standalone, 'Procfile'), `web: node '${nested}/server.js'\n`)
}

/** `statSync` throws where a folder on the way is a file. */
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** The files of a folder, sources and all. They are read only as far as detection asks. */
const filesIn = (dir: string): SiteFiles => ({
  paths: () => filesBelow(dir, ''),
  sizeOf: path => (isFile(join(dir, path)) ? statSync(join(dir, path)).size : undefined),
  text: async path => readFileSync(join(dir, path), 'utf8'),
})

const projectFiles = filesIn('.')

function* filesBelow(dir: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && !isExcluded(path, 'folder')) yield* filesBelow(dir, path)
  }
}
