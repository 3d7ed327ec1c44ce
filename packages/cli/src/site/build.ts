// `svc deploy --build`: runs the project's build command, and finds the folder that it made.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join, relative, resolve, sep } from 'node:path'
import {
  type BuildPlan,
  below,
  buildVariables,
  describeSources,
  detectServer,
  findOutput,
  isPresent,
  type ProjectFiles,
  packagesUsedBy,
  Said,
  type SiteFiles,
  type Step,
} from '@svc/contract/project'
import { completeServer } from '@svc/contract/project/disk'
import { isExcluded } from '@svc/contract/site'
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { buildSettings } from '../link.ts'
import { notice } from '../output.ts'
import { inShell } from './in-shell.ts'
import type { Site } from './list.ts'
import { collectPackages, isInstalled } from './packages.ts'
import { planHere } from './project-here.ts'
import { packagesOfCommand, packagesOfFolder } from './server-imports.ts'

export interface BuiltSite {
  folder: string
  /** Whether the server in that folder needs its node_modules folder. */
  needsModules: boolean
  /** The packages that the server needs and that are not in the folder. `undefined` for a static site. */
  packages?: Site
}

/** Builds the project of the working directory. `asked` is the folder that the user named, if any. */
export async function buildSite(asked: string | undefined): Promise<BuiltSite> {
  const { build, output } = buildSettings()
  const { root, files, plan } = await planHere(build)
  if (plan.install && lacksPackages(plan)) await run(plan, plan.install, join(root, plan.install.dir), {})
  if (plan.build) await run(plan, plan.build, '.', buildVariables(plan, { inSandbox: false }))
  else if (!(await detectServer(filesIn('.'))).app) throw await nothingToBuild(files, plan)
  const named = asked ?? output
  if (named !== undefined) {
    if (!existsSync(named)) throw new Failure(`The build made no folder ${named}.`, { hint: sayOutput })
    return await withServerPackages(plan, { folder: named, needsModules: false })
  }
  const found = await findOutput(files, plan)
  if (!found) throw noOutput(plan)
  await completeServer(root, plan, found)
  if (plan.language && !plan.hasStart)
    notice(
      `Wrote the file Procfile, which starts the app: ${plan.language.start}. Change it if that is wrong.`,
    )
  const folder = relative(resolve('.'), join(root, found.dir)).split(sep).join('/') || '.'
  return await withServerPackages(plan, { folder, needsModules: found.server?.packages === 'inside' })
}

async function nothingToBuild(files: ProjectFiles, { dir, manifest }: BuildPlan): Promise<Failure> {
  const sayBuild = 'Name the command in svc.json: "build": "<command>"'
  if (manifest)
    return new Failure('There is nothing to build: package.json has no build script.', { hint: sayBuild })
  const has = (path: string) => isPresent(files, below(dir, path))
  const sources = (await has('index.html')) ? undefined : await describeSources(has)
  return new Failure('There is nothing to build: there is no package.json here.', {
    hint: sources ?? `${sayBuild}. Without a build, deploy the folder as it is: 'svc deploy'`,
  })
}

const sayOutput = 'Name the folder that the build makes in svc.json: "output": "<folder>"'

const noOutput = ({ frameworks }: BuildPlan): Failure =>
  new Failure('The build made no folder that svc recognizes as a site.', {
    hint: frameworks.find(({ hint }) => hint)?.hint ?? sayOutput,
  })

/** Builds that have their packages inside, such as the standalone server of Next.js, need no others. */
async function withServerPackages({ manifest }: BuildPlan, built: BuiltSite): Promise<BuiltSite> {
  if (built.needsModules) return built
  const { app } = await detectServer(filesIn(built.folder))
  if (!app) return built
  const isProject = resolve(built.folder) === resolve('.')
  if (!isProject) return { ...built, packages: collectPackages('.', packagesOfFolder('.', built.folder)) }
  if (!manifest) return built
  const line = app.command[0] === '/bin/sh' ? (app.command[2] ?? '') : app.command.join(' ')
  return { ...built, packages: collectPackages('.', await packagesOfCommand('.', line, manifest)) }
}

function requireManager({ manager }: BuildPlan, { typed }: Step): void {
  const name = manager?.manager.name
  if (name === undefined || !typed.startsWith(`${name} `) || isOnPath(name)) return
  throw new Failure(`This project uses ${name}, which is not on this machine. Nothing was deployed.`, {
    hint: `Install it: npm install --global ${name}`,
  })
}

const isOnPath = (program: string): boolean =>
  environment
    .path()
    .split(delimiter)
    .some(dir => ['', '.cmd', '.exe'].some(ending => existsSync(join(dir, program + ending))))

/** As in a fresh clone. What is installed in part is left to the person who did that. */
function lacksPackages({ manifest }: BuildPlan): boolean {
  const packages = manifest ? [...packagesUsedBy(manifest)] : []
  if (existsSync('.pnp.cjs')) return false
  // The root of a workspace may use none itself.
  if (manifest?.workspaces && packages.length === 0) return !existsSync('node_modules')
  return packages.length > 0 && !packages.some(name => isInstalled('.', name))
}

/** Runs the command as a script of package.json would run, and shows its output on stderr: stdout is for the result. */
async function run(plan: BuildPlan, step: Step, cwd: string, env: Record<string, string>): Promise<void> {
  const { what, typed: command, absent, otherwise } = step
  notice(`${what}: ${command}`)
  requireManager(plan, step)
  const said = new Said(step)
  // The build runs the code of other people and needs no token of the platform.
  const [shell, ...args] = inShell(command)
  const child = spawn(shell, args, {
    cwd,
    env: { ...environment.withoutToken(), ...env },
    // What is searched cannot be a terminal, too.
    stdio: otherwise ? ['inherit', 'pipe', 'pipe'] : ['inherit', process.stderr, process.stderr],
    windowsVerbatimArguments: true,
  })
  for (const output of [child.stdout, child.stderr])
    output?.on('data', chunk => said.add(chunk)).pipe(process.stderr, { end: false })
  const ended = await new Promise<number | string>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1))
  })
  if (ended === 0) return
  if (otherwise && said.asksForOther) {
    notice(`Warning: ${otherwise.warning.here}`)
    return await run(plan, otherwise.step, cwd, env)
  }
  if (absent && absentCodes.has(ended)) throw new Failure(absent.here, { hint: 'Nothing was deployed.' })
  const how = typeof ended === 'number' ? `with exit code ${ended}` : `by ${ended}`
  throw new Failure(`${what} ended ${how}: ${command}. Nothing was deployed.`)
}

/** The shell of Windows ends with 9009 if there is no such program, others with 127. */
const absentCodes = new Set<number | string>([127, 9009])

/** `statSync` throws where a folder on the way is a file. */
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** The files of a folder, sources and all. They are read only as far as detection asks. */
const filesIn = (dir: string): SiteFiles => ({
  paths: () => filesBelow(dir, ''),
  sizeOf: path => (isFile(join(dir, path)) ? statSync(join(dir, path)).size : undefined),
  text: async path => readFileSync(join(dir, path), 'utf8'),
})

function* filesBelow(dir: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && !isExcluded(path, 'folder')) yield* filesBelow(dir, path)
  }
}
