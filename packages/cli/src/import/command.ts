// `svc import`: moves the directory here from another platform. First the report, which creates nothing; then the steps.
import { basename } from 'node:path'
import type { Run } from '../command.ts'
import { requireToken } from '../credentials.ts'
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { linkedProject } from '../link.ts'
import { notice, print, printJson } from '../output.ts'
import { projectName } from '../project-name.ts'
import { connectRepository } from './connect-repository.ts'
import type { Imported, PlatformId } from './imported.ts'
import { netlifyTraces, readNetlify } from './netlify/read.ts'
import { makePlan, type Plan } from './plan.ts'
import { ProjectFiles } from './project-files.ts'
import { planAsJson, printChecklist, printPlan, printReport } from './report.ts'
import { addCrons, copyVariables, listSecrets, makeProject, type Problems, writeRules } from './steps.ts'
import { readVercel, vercelTraces } from './vercel/read.ts'

interface Platform {
  traces: readonly string[]
  token: () => string | undefined
  read: (files: ProjectFiles, token: string | undefined) => Promise<Imported>
}

const platforms: Record<PlatformId, Platform> = {
  vercel: { traces: vercelTraces, token: environment.vercelToken, read: readVercel },
  netlify: { traces: netlifyTraces, token: environment.netlifyToken, read: readNetlify },
}

/** The command that takes another name for the project. */
const retry = 'svc import --project <name>'

export const importProject: Run = async ({ args: [named], options }) => {
  if (options.json && !options['dry-run'])
    throw new Failure('--json shows the plan of an import: use it with --dry-run.')
  const files = new ProjectFiles(process.cwd())
  const platform = platforms[named === undefined ? detect(files) : known(named)]
  const project = projectName(options.project ?? linkedProject(), basename(files.root), retry)
  const imported = await platform.read(files, options.token ?? platform.token())
  const plan = await makePlan(files, imported, { project, org: options.org, branch: options.branch })
  if (options.json) return showJson(plan)
  printReport(plan, files.read)
  if (imported.findings.hasStops) throw stopped()
  printPlan(plan)
  if (options['dry-run']) return print('\nDry run: nothing was created or written.')
  requireToken()
  print('')
  await carryOut(plan, files)
  printChecklist(plan)
}

function showJson(plan: Plan): void {
  printJson(planAsJson(plan))
  if (plan.imported.findings.hasStops) throw stopped()
}

const stopped = (): Failure =>
  new Failure('The import stops here: what is listed first cannot be imported. Nothing was created.')

/** Says how far it came if a step fails. Running the command again goes on from there. */
async function carryOut(plan: Plan, files: ProjectFiles): Promise<void> {
  const problems: Problems = []
  const steps: [done: string, step: () => Promise<void> | void][] = [
    ['the project', () => makeProject(plan)],
    ['variables', () => copyVariables(plan, problems)],
    ['secrets', () => listSecrets(plan)],
    ['scheduled jobs', () => addCrons(plan, problems)],
    ['_redirects and _headers', () => writeRules(plan, files)],
    ['the repository', () => connectRepository(plan)],
  ]
  for (const [i, [name, step]] of steps.entries())
    try {
      await step()
    } catch (error) {
      const done = steps.slice(0, i).map(([name]) => name)
      notice(
        `The import ended at: ${name}. ${done.length > 0 ? `Done before: ${done.join(', ')}.` : 'Nothing was created.'}`,
      )
      if (done.length > 0)
        notice("Run 'svc import' again when this is solved: it goes on, and leaves alone what is done.")
      throw error
    }
  if (problems.length > 0)
    throw new Failure(
      `The project is imported, except for:\n${problems.map(problem => `  - ${problem}`).join('\n')}`,
    )
}

function known(name: string): PlatformId {
  const id = name.toLowerCase()
  if (id === 'vercel' || id === 'netlify') return id
  throw new Failure(`Unknown platform '${name}'. Use: svc import vercel, or svc import netlify.`)
}

function detect(files: ProjectFiles): PlatformId {
  const hasTrace = (trace: string) =>
    trace.endsWith('/') ? files.hasFolder(trace.slice(0, -1)) : files.hasFile(trace)
  const found = (Object.keys(platforms) as PlatformId[]).map(id => ({
    id,
    traces: platforms[id].traces.filter(hasTrace),
  }))
  const [first, second] = found.filter(({ traces }) => traces.length > 0)
  if (first && second)
    throw new Failure(
      `There are traces of two platforms here: ${[...first.traces, ...second.traces].join(', ')}. Name one: svc import ${first.id}, or svc import ${second.id}.`,
    )
  if (first) return first.id
  throw new Failure(
    'Nothing of Vercel or Netlify was found here (vercel.json, .vercel, netlify.toml, .netlify). Name the platform: svc import vercel, or svc import netlify.',
  )
}
