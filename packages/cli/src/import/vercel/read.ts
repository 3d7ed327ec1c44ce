// Reads a Vercel project from its directory and, with a token, from Vercel's API.
import { readDotenvFiles } from '../dotenv-files.ts'
import { Imported } from '../imported.ts'
import { parseConfig } from '../parse-config.ts'
import type { ProjectFiles } from '../project-files.ts'
import { fieldsOf, listOf, textOf } from '../untrusted.ts'
import { readVercelApi, type VercelLink } from './api.ts'
import { noteUnreadable, readCrons, readVercelConfig } from './config.ts'
import { checkApiFolder } from './functions.ts'
import { translateRoutes } from './routes.ts'

const programs = ['vercel.ts', 'vercel.mts', 'vercel.js', 'vercel.mjs', 'vercel.cjs']
const configs = ['vercel.json', 'vercel.toml', 'now.json']
const middleware = ['middleware.ts', 'middleware.js', 'middleware.mjs']

export const vercelTraces = [...configs, ...programs, '.vercel/']

export async function readVercel(files: ProjectFiles, token: string | undefined): Promise<Imported> {
  const imported = new Imported('vercel')
  const { build, findings } = imported
  const link = readLink(files, imported)
  if (token !== undefined && link === undefined)
    findings.warn(
      '.vercel/project.json',
      "There is none, so nothing is read from Vercel. Run 'vercel link' here, then 'svc import' again.",
    )
  readDotenvFiles(files, build.root_dir ?? '', imported, ['.vercel/.env.production.local'])
  if (token !== undefined && link !== undefined) await readVercelApi(link, token, imported)
  // Inside the root directory itself there is no folder of that name.
  if (!files.hasFolder(build.root_dir ?? '')) build.root_dir = undefined
  const root = build.root_dir ?? ''
  const at = (path: string) => (root === '' ? path : `${root}/${path}`)
  const file = [...configs.map(at), ...configs].find(path => files.hasFile(path))
  if (file !== undefined) readVercelConfig(file, await parseConfig(file, files.text(file)!), imported)
  for (const program of programs.map(at)) if (files.hasFile(program)) noteUnreadable(findings, program)
  await readOutput(files, imported, file !== undefined)
  if (imported.crons.length > 0)
    findings.note(
      'crons',
      'Vercel proves a request by CRON_SECRET in the Authorization header. Here requests are signed: check X-Svc-Signature with SVC_CRON_SECRET.',
    )
  const usesNext = imported.framework === 'nextjs' || /"next"\s*:/.test(files.text(at('package.json')) ?? '')
  if (!usesNext) {
    checkApiFolder(files, root, findings)
    for (const path of middleware.map(at))
      if (files.hasFile(path))
        findings.stop(
          path,
          "Edge middleware is not supported. It may guard pages, so nothing is imported with it. Remove it, then run 'svc import' again.",
        )
  }
  return imported
}

/** Reads the files that `vercel link` and `vercel pull` wrote. */
function readLink(files: ProjectFiles, imported: Imported): VercelLink | undefined {
  const text = files.text('.vercel/project.json')
  const link = fieldsOf(text === undefined ? undefined : safeJson(text, '.vercel/project.json', imported))
  const settings = fieldsOf(link.settings)
  Object.assign(imported.build, {
    build_cmd: textOf(settings.buildCommand),
    install_cmd: textOf(settings.installCommand),
    output_dir: textOf(settings.outputDirectory),
    root_dir: textOf(settings.rootDirectory),
  })
  imported.framework = textOf(settings.framework)
  const many = files.text('.vercel/repo.json')
  const repo = fieldsOf(many === undefined ? undefined : safeJson(many, '.vercel/repo.json', imported))
  const linked = listOf(repo.projects).map(fieldsOf)
  const only = linked.length === 1 ? linked[0] : linked.find(({ directory }) => directory === '.')
  const projectId = textOf(link.projectId) ?? textOf(only?.id)
  const owner = textOf(link.orgId) ?? textOf(only?.orgId) ?? textOf(repo.orgId)
  return projectId === undefined
    ? undefined
    : { projectId, teamId: owner?.startsWith('team_') ? owner : undefined }
}

/** Reads the output of `vercel build`: the jobs, and the routes if there is no other configuration. */
async function readOutput(files: ProjectFiles, imported: Imported, hasConfig: boolean): Promise<void> {
  const path = '.vercel/output/config.json'
  const text = files.text(path)
  if (text === undefined) return
  const output = fieldsOf(safeJson(text, path, imported))
  readCrons(output.crons, imported, path)
  if (hasConfig || imported.framework !== undefined) return
  const { redirects, headers } = translateRoutes(path, output.routes, imported.findings)
  imported.redirects.push(...redirects)
  imported.headers.push(...headers)
}

function safeJson(text: string, path: string, { findings }: Imported): unknown {
  try {
    return JSON.parse(text)
  } catch {
    findings.warn(path, 'is not valid JSON and is left out.')
    return undefined
  }
}
