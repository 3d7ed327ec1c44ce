// Finds likely mistakes in the files of an upload. Clients show them before they upload. They may ask, but never refuse.
import { linksPath } from '../site/links.ts'
import { type BuildOutput, readBuildOutput } from './build-output.ts'
import { type DetectedServer, detectServer, suspectFrontPage } from './detection.ts'
import { hasPath, projectIn, readSmall, type SiteFiles } from './files.ts'
import { buildScript, frameworks, replacementOf } from './frameworks.ts'
import { expectedOutput, findBuilt } from './output.ts'
import { type PackageJson, readPackageJson } from './package-json.ts'
import { type BuildPlan, planProject } from './plan.ts'
import { findSecrets, nameSecrets } from './secrets.ts'
import { type ServerFramework, serverFrameworks, serverPackages } from './servers.ts'
import { readStart } from './start-script.ts'

interface Output {
  folder: string
  /** Whether the server in that folder needs its node_modules folder. */
  needsModules: boolean
}

/** A likely mistake, and the folder of the upload that the user probably meant. */
interface Mistake {
  text: string
  output?: Output
  /** Whether a build script of package.json makes what the user probably meant. */
  canBuild?: boolean
  /** What is wrong, without what to do about it. Missing if the text says no more. */
  reason?: string
}

export interface Advice extends Mistake {
  /** Whether to ask before this upload replaces the live deployment. */
  asks: boolean
}

export interface Advised {
  /** The server that the platform will detect. `undefined` for a static site. */
  app: DetectedServer | undefined
  advice: Advice[]
  /** The paths that look like secrets, which the advice names. */
  secrets: string[]
  /** What the platform will say about the start command after the upload. */
  warnings: string[]
  /** Whether package.json names packages that the upload does not contain. */
  lacksModules: boolean
}

/** How a client tells its user to deploy a folder, such as `svc deploy dist`. */
type NameDeploy = (folder: string, needsModules: boolean) => string

export async function adviseOn(site: SiteFiles, nameDeploy: NameDeploy): Promise<Advised> {
  const { app, warnings } = await detectServer(site)
  const manifest = await readPackageJson(site)
  const files = projectIn(site)
  const plan = await planProject(files, { dir: '' })
  const built = await findBuilt(files, plan)
  const output = built && { folder: built.dir, needsModules: built.server?.packages === 'inside' }
  const seen = { site, manifest, plan, output, nameDeploy }
  const mistake = app ? await aboutServer(seen, app) : await aboutSite(seen)
  const secrets = await findSecrets(site)
  const said = [...nameSecrets(secrets), ...(hasPath(site, linksPath) ? [linksFileLeftOut] : [])]
  return {
    app,
    advice: [...(mistake ? [{ ...mistake, asks: true }] : []), ...said.map(text => ({ text, asks: false }))],
    secrets,
    warnings,
    lacksModules: app !== undefined && declaresModules(app, manifest) && !holdsModules(site),
  }
}

interface Seen {
  site: SiteFiles
  manifest: PackageJson | undefined
  plan: BuildPlan
  output: Output | undefined
  nameDeploy: NameDeploy
}

const linksFileLeftOut = `${linksPath} is left out: svc keeps its own list of symbolic links there.`

const kindOf = ({ framework }: DetectedServer): ServerFramework => serverFrameworks[framework]

/** Whether the server needs packages that only its package.json names. */
const declaresModules = (app: DetectedServer, manifest: PackageJson | undefined): boolean =>
  !kindOf(app).isBundled && (manifest?.dependencies.size ?? 0) > 0

export function holdsModules(site: SiteFiles): boolean {
  for (const path of site.paths()) if (/(?:^|\/)node_modules\//.test(path)) return true
  return false
}

/** Advice about a server that a start script starts: it may be built in another folder, or not built yet. */
async function aboutServer(
  { site, manifest, output, nameDeploy }: Seen,
  app: DetectedServer,
): Promise<Mistake | undefined> {
  if (!manifest || kindOf(app).marks !== undefined) return undefined
  const replacement = replacementOf(app.framework)?.server
  if (output && (output.needsModules || replacement))
    return {
      text: `These are the sources of a site that is built in ${output.folder}. Deploy that: ${nameDeploy(output.folder, output.needsModules)}`,
      output,
    }
  const start = await readStart(manifest, path => hasPath(site, path))
  if (start?.starts !== 'server') return undefined
  if (replacement && (start.missing !== undefined || !holdsModules(site)))
    return {
      text: `${replacement.howToMake}, then: ${nameDeploy(replacement.folder, true)}`,
      canBuild: buildScript(manifest.scripts) !== undefined,
    }
  if (start.missing === undefined) return undefined
  const script = buildScript(manifest.scripts)
  const build = script ? ` Build it first: 'npm run ${script}'.` : ''
  return {
    text: `package.json starts '${short(start.command)}', but ${short(start.missing)} is not in the upload.${build}`,
    canBuild: script !== undefined,
  }
}

async function aboutSite(seen: Seen): Promise<Mistake | undefined> {
  const { site, manifest, output, nameDeploy } = seen
  const made = await readBuildOutput(site)
  if (made) return aboutBuildOutput(made, nameDeploy)
  const reason = await unbuiltReason(seen)
  if (reason && output)
    return {
      text: `${reason} Deploy the output of the build: ${nameDeploy(output.folder, output.needsModules)}`,
      output,
    }
  const script = manifest && buildScript(manifest.scripts)
  if (reason && script) {
    const { folder, needsModules } = expectedOutput(seen.plan)
    return {
      text: `${reason} Run 'npm run ${script}', then deploy its output: ${nameDeploy(folder, needsModules)}`,
      canBuild: true,
      reason,
    }
  }
  const text = (await exposedServer(seen)) ?? reason
  return text === undefined ? undefined : { text }
}

function aboutBuildOutput({ pages, hasFunctions }: BuildOutput, nameDeploy: NameDeploy): Mistake {
  const text = "This is what 'vercel build' made."
  if (hasFunctions)
    return {
      text: `${text} Its functions run only there. Deploy the sources, in the folder above .vercel: svc deploy --build, or push them with git.`,
    }
  return {
    text: `${text} Its pages are in ${pages}/. Deploy them: ${nameDeploy(pages, false)}`,
    output: { folder: pages, needsModules: false },
  }
}

/** Says why this looks like sources that must be built first. */
async function unbuiltReason({ site, manifest, output }: Seen): Promise<string | undefined> {
  const canBuild = manifest !== undefined && buildScript(manifest.scripts) !== undefined
  if (hasPath(site, 'index.html')) {
    const source = sourceIn((await readSmall(site, 'index.html')) ?? '', canBuild)
    if (source) return `index.html loads ${short(source)}, which browsers can run only once it is built.`
    if (canBuild && output)
      return `package.json has a build script, and ${output.folder} holds what it built.`
    const builder = manifest && pageBuilder(manifest)
    return builder && `These are the sources of a site: package.json has the script '${short(builder)}'.`
  }
  if (canBuild) return 'There is a build script in package.json and no index.html at the top level.'
  return await suspectFrontPage(site)
}

/** The script that builds the pages of this folder, or serves them for development. */
function pageBuilder({ scripts }: PackageJson): string | undefined {
  const builders = frameworks.flatMap(row => (row.hasPageInSources ? row.programs : []))
  const lines = ['build', 'start', 'dev'].map(name => scripts.get(name) ?? '')
  return lines.find(line => line.split(/\s+/).some(word => builders.includes(word)))
}

/** Returns the first script of a page that browsers cannot run without a build. */
function sourceIn(html: string, canBuild: boolean): string | undefined {
  for (const [, src = ''] of html.matchAll(/<script\b[^<>]*?\bsrc\s*=\s*["']?([^"'\s<>]+)/gi)) {
    if (/^(?:[a-z]+:)?\/\//i.test(src)) continue
    if (/\.(?:[mc]?ts|tsx|jsx|vue|svelte)(?:[?#]|$)/i.test(src)) return src
    if (canBuild && /^(?:\.?\/)?src\//.test(src)) return src
  }
  return undefined
}

const remedy = (command: string): string =>
  `This will be a static site: nothing is started, and its files are public. To start it, add a file Procfile with the line: web: ${command}`

/** In a monorepo, the server that a framework built is in a folder with the path of its package. */
function nestedServer(site: SiteFiles): { name: string; command: string; folder: string } | undefined {
  for (const { name, server } of frameworks) {
    if (!server?.nests) continue
    const { marks = [], command }: ServerFramework = serverFrameworks[server.framework]
    const [first = '', ...others] = marks.map(mark => `/${mark}`)
    for (const path of site.paths()) {
      const folder = path.endsWith(first) ? path.slice(0, -first.length) : ''
      if (folder === '' || !others.every(mark => hasPath(site, folder + mark))) continue
      return { name, folder: short(folder), command: `${command?.[0]} ${short(folder)}/${command?.[1]}` }
    }
  }
  return undefined
}

/** Says why this is a server whose sources would be public. */
async function exposedServer({ site, manifest }: Seen): Promise<string | undefined> {
  const nested = nestedServer(site)
  if (nested) return `There is a server of ${nested.name} in ${nested.folder}. ${remedy(nested.command)}`
  if (!manifest) return undefined
  const start = await readStart(manifest, path => hasPath(site, path))
  if (hasPath(site, 'index.html'))
    return start?.starts === 'server' && start.missing === undefined
      ? `package.json starts a server, and there is an index.html at the top level, too. ${remedy(short(start.command))}`
      : undefined
  if (start?.starts === 'unknown')
    return `package.json starts '${short(start.command)}', which svc does not know as a server. ${remedy(short(start.command))}`
  const framework = serverPackages.find(name => manifest.dependencies.has(name))
  if (framework && start === undefined)
    return `package.json depends on ${framework} and has no start script. ${remedy(`node ${manifest.main ?? 'index.js'}`)}`
  return undefined
}

/** Text from the user's files, for messages: cut short and kept to one line. */
const short = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ')
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}
