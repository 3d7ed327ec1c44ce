// Detects whether a deployment is a server, and how it starts. The platform decides with this when it has received the
// files, and its clients say the same before they send them.
import { hasPath, readAtMost, type SiteFiles } from './files.ts'
import { readPackageJson } from './package-json.ts'
import { webCommand } from './procfile.ts'
import { pythonPackages } from './python-app.ts'
import { type FrameworkId, type ServerFramework, serverFrameworks } from './servers.ts'
import { describeSources } from './sources.ts'
import { readStart } from './start-script.ts'

export type Command = readonly [string, ...string[]]

export interface DetectedServer {
  framework: FrameworkId
  command: Command
}

export interface Detected {
  /** `undefined` if the deployment is static. */
  app: DetectedServer | undefined
  /** Signs that the user meant to deploy a server. */
  warnings: string[]
}

const longestCommand = 4096

export async function detectServer(site: SiteFiles): Promise<Detected> {
  const warnings: string[] = []
  for (const [id, framework] of Object.entries(serverFrameworks) as [FrameworkId, ServerFramework][]) {
    if (!framework.marks?.every(mark => hasPath(site, mark))) continue
    const own = framework.mayBeOwn ? await ownServer(site, framework) : undefined
    const command = own ?? framework.command ?? (await statedCommand(site, id, warnings))
    if (command) return { app: { framework: id, command }, warnings }
  }
  return { app: await startedByScript(site, warnings), warnings }
}

/** Says that the front page of a static site is a 404, and why. */
export async function frontPageProblem(site: SiteFiles): Promise<string | undefined> {
  return hasFrontPage(site) ? undefined : ((await suspectProblem(site)) ?? `${noFrontPage} ${plainFiles}`)
}

/** The same, but `undefined` for plain files: a folder of them may well be there for other sites. */
export const suspectFrontPage = async (site: SiteFiles): Promise<string | undefined> =>
  hasFrontPage(site) ? undefined : suspectProblem(site)

/** A rule may serve another file as the front page. */
const hasFrontPage = (site: SiteFiles): boolean => hasPath(site, 'index.html') || hasPath(site, '_redirects')

async function suspectProblem(site: SiteFiles): Promise<string | undefined> {
  const sources = await describeSources(path => hasPath(site, path))
  if (sources !== undefined) return `${noFrontPage} ${sources}`
  return holdsPagesOrSources(site) ? noFrontPage : undefined
}

const noFrontPage = 'There is no index.html at the top level, so the front page of the site is a 404.'
const plainFiles = 'Each file is at its own path.'

/** Pages, and what pages and programs are made of. Scripts are not among them: a folder of scripts may be there for other sites. */
const pageOrSource =
  /\.(?:html?|[jt]sx|ts|vue|svelte|astro|c|cc|cpp|cs|csproj|dart|erl|exs?|go|hs|java|kt|php|pl|py|rb|rs|scala|swift|zig)$/i
const settingsOfTool = /(?:^|\/)(?:\.eleventy\.[cm]?js|[\w-]{1,50}\.config\.[cm]?js|Makefile)$/

function holdsPagesOrSources(site: SiteFiles): boolean {
  for (const path of site.paths()) if (pageOrSource.test(path) || settingsOfTool.test(path)) return true
  return false
}

/** Runs a command that the user wrote in a shell. This only happens inside the sandbox. */
const inShell = (line: string): Command => ['/bin/sh', '-c', line]

async function statedCommand(
  site: SiteFiles,
  id: FrameworkId,
  warnings: string[],
): Promise<Command | undefined> {
  const path = id === 'procfile' ? 'Procfile' : 'package.json'
  if (site.sizeOf(path)! > readAtMost) {
    warnings.push(`${path} is larger than 256 KB and was not read.`)
    return undefined
  }
  const line =
    id === 'procfile' ? webProcess(await site.text(path), warnings) : await svcStart(site, warnings)
  return line !== undefined && isSound(line, path, warnings) ? inShell(withPackages(site, line)) : undefined
}

/** Lets Python and the shell find the packages that the build installed into the app. */
const withPackages = (site: SiteFiles, line: string): string =>
  hasPath(site, `${pythonPackages}/`)
    ? `export PYTHONPATH="$PWD/${pythonPackages}" PATH="$PWD/${pythonPackages}/bin:$PATH"; ${line}`
    : line

function isSound(line: string, path: string, warnings: string[]): boolean {
  if (line.length <= longestCommand && !line.includes('\0')) return true
  warnings.push(`The start command in ${path} is longer than ${longestCommand} characters or holds a NUL.`)
  return false
}

function webProcess(text: string, warnings: string[]): string | undefined {
  const command = webCommand(text)
  if (command === undefined) warnings.push('The Procfile has no web: line, so it starts no server.')
  if (command === '') warnings.push('The web: line of the Procfile has no command.')
  return command || undefined
}

async function svcStart(site: SiteFiles, warnings: string[]): Promise<string | undefined> {
  const start = (await readPackageJson(site))?.svcStart
  if (start === undefined) return undefined
  if (typeof start === 'string' && start.trim() !== '') return start.trim()
  warnings.push('svc.start in package.json is not a command.')
  return undefined
}

/**
 * The start script, if the server is not the one of the framework but one that the author wrote, or that the script starts with
 * settings.
 */
async function ownServer(site: SiteFiles, { command }: ServerFramework): Promise<Command | undefined> {
  const manifest = await readPackageJson(site)
  const start = manifest && (await readStart(manifest, path => hasPath(site, path)))
  const isOwn = start?.starts === 'server' && start.framework === 'start' && start.missing === undefined
  if (!isOwn || start.command === command?.join(' ') || start.command.length > longestCommand)
    return undefined
  // Other programs are packages, which the build of the framework does not contain.
  return /^(?:\w+=\S+ )*node /.test(start.command) ? inShell(start.command) : undefined
}

/**
 * Detects a server by its start script. A site with an index.html at the top stays static, because its start script is
 * often a development tool.
 */
async function startedByScript(site: SiteFiles, warnings: string[]): Promise<DetectedServer | undefined> {
  if (hasPath(site, 'index.html')) return undefined
  const manifest = await readPackageJson(site)
  const start = manifest && (await readStart(manifest, path => hasPath(site, path)))
  if (start?.starts !== 'server' || !isSound(start.command, 'package.json', warnings)) return undefined
  return { framework: start.framework, command: inShell(start.command) }
}
