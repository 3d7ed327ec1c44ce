// Plans the build of a repository: the package manager, the build command and the start command. The plan follows from the
// files of the repository, its svc.json among them, unless the project's settings say otherwise.
import { buildScript } from '@svc/contract/site'
import type { ProjectRepoRow } from '../../store/tables.ts'
import { dependenciesOf, type Manifest, readManifest, scriptOf, scriptsOf } from './manifest.ts'
import { type FoundManager, findPackageManager } from './package-manager.ts'
import { readSettings } from './settings.ts'
import { below, type SourceFiles } from './source-files.ts'
import { readStartCommand, startsOwnServer } from './start-command.ts'

export interface Step {
  title: string
  line: string
  /** The folder that it runs in. */
  dir: string
  /** How long it may take. Without it, only the time limit of the build counts. */
  limitMs?: number
}

export interface BuildPlan {
  /** The folder that is built: `root_dir` of the project, or the repository. */
  dir: string
  install: Step | undefined
  build: Step | undefined
  /** The folder to publish, if somebody named it: below `dir`, or `''` for all of it. */
  output: { folder: string; from: 'output_dir' | 'svc.json' } | undefined
  /** `undefined` if there is no package.json. */
  manager: FoundManager | undefined
  manifest: Manifest | undefined
  /** Dependencies of the package, by whose names frameworks are known. */
  dependencies: ReadonlySet<string>
  hasStart: boolean
  /** Whether the author of a Next.js project wrote its server, so that the standalone server cannot take its place. */
  hasOwnNextServer: boolean
}

type ProjectSettings = Pick<ProjectRepoRow, 'build_cmd' | 'install_cmd' | 'output_dir' | 'root_dir'>

/** Throws a Fault if svc.json cannot be used. */
export async function planBuild(files: SourceFiles, project: ProjectSettings): Promise<BuildPlan> {
  const dir = project.root_dir ?? ''
  const { build, output } = await readSettings(files, dir)
  const manifest = readManifest(await files.read(below(dir, 'package.json')))
  const manager = manifest && (await findPackageManager(files, dir))
  const dependencies = dependenciesOf(manifest)
  const start = await readStartCommand(files, dir, manifest)
  return {
    dir,
    install: installStep(project, dir, manager),
    build: buildStep(project.build_cmd ?? build ?? null, dir, manifest, manager),
    output:
      project.output_dir !== null
        ? { folder: project.output_dir, from: 'output_dir' }
        : output === undefined
          ? undefined
          : { folder: output, from: 'svc.json' },
    manager,
    manifest,
    dependencies,
    hasStart:
      (await files.hasFile(below(dir, 'Procfile'))) ||
      typeof manifest?.svc?.start === 'string' ||
      scriptOf(manifest, 'start') !== undefined,
    hasOwnNextServer: dependencies.has('next') && start !== undefined && startsOwnServer(start, manifest),
  }
}

function installStep(
  { install_cmd: own }: ProjectSettings,
  dir: string,
  found: FoundManager | undefined,
): Step | undefined {
  if (own !== null) return own === '' ? undefined : { title: `Installing: ${own}`, line: own, dir }
  return (
    found && managerStep('Installing', found, found.lockFile ? found.manager.frozen : found.manager.loose)
  )
}

function buildStep(
  own: string | null,
  dir: string,
  manifest: Manifest | undefined,
  found: FoundManager | undefined,
): Step | undefined {
  if (own !== null) return own === '' ? undefined : { title: `Building: ${own}`, line: own, dir }
  const script = buildScript(scriptsOf(manifest))
  if (!found || script === undefined) return undefined
  return { ...managerStep('Building', found, `run ${script}`), dir }
}

/** The title leaves out how the program is found. */
export const managerStep = (what: string, { manager, program, dir }: FoundManager, args: string): Step => ({
  title: `${what}: ${manager.name} ${args}`,
  line: `${program} ${args}`,
  dir,
})
