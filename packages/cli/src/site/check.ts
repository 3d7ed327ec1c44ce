// Checks a site before it is packed: warns about likely mistakes, and on a terminal asks.
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type Advice, type Advised, adviseOn, holdsModules, type SiteFiles } from '@svc/contract/project'
import { type Extent, type Links, linksPath, unchangedPath } from '@svc/contract/site'
import { Failure } from '../failure.ts'
import { clean, notice, warn } from '../output.ts'
import { canAsk, confirm } from '../prompt.ts'
import { shellWord } from '../shell-word.ts'
import { offerToLeaveOut } from './leave-out.ts'
import { sortLinks } from './links.ts'
import { listSite, type Site, type SiteFile } from './list.ts'

/** The parts of the user's command that matter for advice and questions. */
export interface Intent {
  /** The command, such as `svc deploy`. */
  command: string
  /** The words of options to repeat in advice, such as `--project` and `shop`. */
  options: readonly string[]
  extent: Extent
  /** Whether the packages of the server are part of the site already, as far as it needs any. */
  hasPackages?: boolean
  /** Whether the upload replaces a live deployment. */
  replaces: boolean
  /** Whether the command can build the project before it uploads. */
  mayBuild?: boolean
  /** Whether every question is answered with yes. */
  yes: boolean
}

interface Upload {
  files: SiteFile[]
  links: Links
  isApp: boolean
  /** Advice that is shown after the upload, where a script's log ends. */
  later: string[]
}

/** The user wants the project to be built first, and then what the build made to be deployed. */
export class BuildFirst extends Error {}

const buildToo = 'Or build and deploy in one step: svc deploy --build'

/** How many links are named. */
const mostLinksNamed = 100

/** Returns the site to upload. Throws if the user decides not to upload it. */
export async function checkSite(dir: string, listed: Site, intent: Intent): Promise<Upload> {
  const { app, lacksModules, advice, secrets } = await advise(dir, listed, intent)
  await offerToBuild(advice, intent)
  const leftOut = await offerToLeaveOut(secrets, listed, intent)
  const site = app && !intent.hasPackages ? await withModules(dir, listed, lacksModules, intent) : listed
  const isLater = (one: Advice) => one.asks && !canAsk()
  const inWords = ({ text, canBuild }: Advice) =>
    clean(text) + (canBuild && intent.mayBuild ? `\n${buildToo}` : '')
  const said = leftOut.size > 0 ? advice.filter(({ asks }) => asks) : advice
  for (const one of said) if (!isLater(one)) warn(inWords(one))
  const later = said.filter(isLater).map(inWords)
  if (said.some(({ asks }) => asks)) await askAnyway(intent)
  const files = site.files.filter(
    ({ path }) => path !== linksPath && path !== unchangedPath && !leftOut.has(path),
  )
  const isApp = app !== undefined
  return { files, links: linksOf(files, site.links, isApp), isApp, later }
}

function advise(dir: string, { files }: Site, intent: Intent): Promise<Advised> {
  return adviseOn(siteFiles(dir, files), (folder, needsModules) => {
    const path = posix.join(dir.replaceAll('\\', '/'), folder)
    const modules = needsModules ? ['--node-modules'] : []
    return [intent.command, shellWord(path), ...modules, ...intent.options.map(shellWord)].join(' ')
  })
}

function siteFiles(dir: string, files: SiteFile[]): SiteFiles {
  const sizes = new Map(files.map(({ path, size }) => [path, size]))
  return {
    paths: () => sizes.keys(),
    sizeOf: path => sizes.get(path),
    text: async path => readFileSync(join(dir, path), 'utf8'),
  }
}

/** A server may need packages that are left out. On a terminal the user decides; elsewhere only the option does. */
async function withModules(dir: string, site: Site, lacksModules: boolean, intent: Intent): Promise<Site> {
  if (intent.extent.nodeModules || holdsModules(siteFiles(dir, site.files))) {
    if (lacksModules) warn(`package.json names packages that are not in the upload. Run 'npm install' first.`)
    return site
  }
  if (!['node_modules', 'server/node_modules'].some(place => existsSync(join(dir, place)))) {
    if (lacksModules) await offerToInstall(intent)
    return site
  }
  const question = 'This looks like a server, and its node_modules are left out. Upload them, too?'
  if (canAsk() && (intent.yes || (await confirm(question, true))))
    return listSite(dir, { ...intent.extent, nodeModules: true })
  warn(
    'This looks like a server, and its node_modules are left out. If it needs them, deploy with --node-modules.',
  )
  return site
}

/** The packages of the server are not installed, so what would be deployed does not start. */
async function offerToInstall({ mayBuild, yes }: Intent): Promise<void> {
  const reason =
    'package.json names packages that are not installed, and the platform installs none for an upload'
  if (!mayBuild) return warn(`${reason}: run 'npm install', then deploy with --node-modules.`)
  warn(`${reason}. 'svc deploy --build' installs them here and uploads those that the server needs.`)
  if (canAsk() && !yes && (await confirm('Install them, and deploy the server with them?', true)))
    throw new BuildFirst()
}

/** Before any other advice, which is about files that a build would replace. */
async function offerToBuild(advice: Advice[], { replaces, yes, mayBuild }: Intent): Promise<void> {
  const mistake = advice.find(({ canBuild }) => canBuild)
  if (!mistake || !mayBuild || !replaces || yes || !canAsk()) return
  notice(clean(mistake.reason ?? mistake.text))
  if (await confirm('Build it first, and deploy what the build makes?', true)) throw new BuildFirst()
}

async function askAnyway({ replaces, yes }: Intent): Promise<void> {
  if (!replaces || yes || !canAsk()) return
  if (!(await confirm('Deploy it anyway?', false))) throw new Failure('Nothing was deployed.')
}

function linksOf(files: SiteFile[], found: Links, isServer: boolean): Links {
  const paths = files.map(({ path }) => path)
  const { carried, leftOut } = sortLinks(found, paths, isServer)
  for (const line of leftOut.slice(0, mostLinksNamed)) warn(clean(line))
  if (leftOut.length > mostLinksNamed)
    warn(`${leftOut.length - mostLinksNamed} more symbolic links are left out.`)
  return carried
}
