// Plans the build of a project: the package manager, the build command and the start command. The plan follows from the files
// of the project, unless its settings say otherwise.
import { below, type ProjectFiles } from './files.ts'
import type { Framework } from './framework.ts'
import { buildScript, frameworksOf } from './frameworks.ts'
import { findGenerator, generatorStep } from './generators.ts'
import { findLanguage, type LanguagePlan } from './languages.ts'
import { type PackageJson, packageOf, parsePackageJson } from './package-json.ts'
import { type FoundManager, findPackageManager } from './package-manager.ts'
import { readStartCommand, type StartCommand, startsOwnServer } from './start-command.ts'
import type { Step } from './step.ts'

/** What somebody chose for the build. An empty command means that there is none. */
interface ProjectSettings {
  /** The folder that is built. `''` is the top folder. */
  dir: string
  install?: string | undefined
  build?: string | undefined
  /** The folder to publish: below `dir`, or `''` for all of it. `from` is the name of the setting. */
  output?: { folder: string; from: string } | undefined
}

export interface BuildPlan {
  dir: string
  install: Step | undefined
  build: Step | undefined
  output: ProjectSettings['output']
  /** `undefined` if there is no package.json. */
  manager: FoundManager | undefined
  manifest: PackageJson | undefined
  /** The frameworks that the project may be built with, the most likely one first. */
  frameworks: readonly Framework[]
  start: StartCommand | undefined
  /** A server app in another language than JavaScript. */
  language: LanguagePlan | undefined
  /** Whether the files show the program that builds it, and that the machine may not have. */
  isGuessed: boolean
  /** Whether anything says how a server starts, even if that cannot be used. */
  hasStart: boolean
  /** Whether the author wrote the server, so that the one that the framework builds cannot take its place. */
  hasOwnServer: boolean
}

export async function planProject(files: ProjectFiles, settings: ProjectSettings): Promise<BuildPlan> {
  const { dir, output } = settings
  const text = await files.read(below(dir, 'package.json'))
  // An invalid file counts as empty, because the package manager reports the error.
  const manifest = text === undefined ? undefined : (parsePackageJson(text) ?? packageOf({}))
  const manager = manifest && (await findPackageManager(files, dir))
  const start = await readStartCommand(files, dir, manifest)
  const hasStart = start !== undefined || (await files.hasFile(below(dir, 'Procfile')))
  const ownBuild = buildStep(settings, manifest, manager)
  const isOpen = settings.build === undefined && output === undefined && !ownBuild && !hasStart
  const generator = isOpen ? await findGenerator(files, dir) : undefined
  const isApp = !manifest && !generator && output === undefined
  const language = isApp ? await findLanguage(files, dir, hasStart) : undefined
  const guessed = generator ? generatorStep(generator, dir) : language?.build
  const frameworks = generator ? [generator] : manifest ? frameworksOf(manifest) : []
  const replacing = frameworks.filter(({ server }) => server?.replacesStart)
  return {
    dir,
    install: installStep(settings, manager),
    build: ownBuild ?? (settings.build === '' ? undefined : guessed),
    language,
    isGuessed: ownBuild === undefined && guessed !== undefined,
    output,
    manager,
    manifest,
    frameworks,
    start,
    hasStart,
    hasOwnServer:
      replacing.length > 0 &&
      start !== undefined &&
      manifest !== undefined &&
      (await startsOwnServer(start, manifest, replacing)),
  }
}

/** Variables that let the framework make a server that can be published. `inSandbox` if nobody keeps the project's folder. */
export function buildVariables(
  { frameworks, hasOwnServer, language }: BuildPlan,
  { inSandbox }: { inSandbox: boolean },
): Record<string, string> {
  const rows = hasOwnServer ? [] : frameworks
  const ofRows = rows.flatMap(({ env, sandboxEnv }) => [env, inSandbox ? sandboxEnv : {}])
  return Object.assign({}, ...ofRows, language?.env)
}

function installStep(
  { install: own, dir }: ProjectSettings,
  found: FoundManager | undefined,
): Step | undefined {
  if (own !== undefined) return own === '' ? undefined : ownStep('Installing', own, dir)
  if (!found) return undefined
  const { frozen, loose, outOfStep } = found.manager
  const install = managerStep('Installing', found, loose)
  if (!found.lockFile) return install
  const exact = managerStep('Installing', found, frozen)
  if (outOfStep === undefined) return exact
  const warning = {
    onPlatform: `${found.lockFile} does not fit package.json, so it is not used as it is. Run '${found.manager.name} install' on your machine and commit the file, to get the same versions in every build.`,
    here: `${found.lockFile.split('/').at(-1)} did not fit package.json. '${found.manager.name} install' completes it: commit the file, to get the same versions in every build.`,
  }
  return { ...exact, otherwise: { words: outOfStep, warning, step: install } }
}

function buildStep(
  { build: own, dir }: ProjectSettings,
  manifest: PackageJson | undefined,
  found: FoundManager | undefined,
): Step | undefined {
  if (own !== undefined) return own === '' ? undefined : ownStep('Building', own, dir)
  const script = manifest && buildScript(manifest.scripts)
  if (!found || script === undefined) return undefined
  return { ...managerStep('Building', found, `run ${script}`), dir }
}

const ownStep = (what: string, line: string, dir: string): Step => ({ what, typed: line, line, dir })

export const managerStep = (what: string, { manager, program, dir }: FoundManager, args: string): Step => ({
  what,
  typed: `${manager.name} ${args}`,
  line: `${program} ${args}`,
  dir,
})
