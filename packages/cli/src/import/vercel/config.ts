// Reads `vercel.json` (or `now.json`, `vercel.toml`).
import type { Findings } from '../findings.ts'
import type { Imported } from '../imported.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../untrusted.ts'
import { checkBuilds, checkFunctions } from './functions.ts'
import { translateRoutes } from './routes.ts'
import { headerBlocks, redirectLines, rewriteLines } from './rules.ts'

type Reader = (value: unknown, imported: Imported, file: string) => void

const command = (value: unknown): string | undefined =>
  // An empty command skips the step on Vercel.
  value === '' ? 'true' : textOf(value)

/** Keys that have no effect on svc. */
const ignored =
  (why: string): Reader =>
  (_, { findings }, file) =>
    findings.note(file, why)
const silent: Reader = () => undefined

/** Every documented key, and how it is imported. */
const keys: Record<string, Reader> = {
  $schema: silent,
  version: silent,
  name: silent,
  scope: silent,
  public: silent,
  devCommand: silent,
  github: silent,
  fluid: silent,
  buildCommand: (value, { build }) => Object.assign(build, { build_cmd: command(value) }),
  installCommand: (value, { build }) => Object.assign(build, { install_cmd: command(value) }),
  outputDirectory: (value, { build }) => Object.assign(build, { output_dir: textOf(value) }),
  framework: (value, imported) => Object.assign(imported, { framework: textOf(value) }),
  redirects: (value, imported, file) =>
    imported.redirects.unshift(...redirectLines(file, value, imported.findings)),
  rewrites: (value, imported, file) =>
    imported.redirects.push(...rewriteLines(file, value, imported.findings)),
  headers: (value, imported, file) => imported.headers.push(...headerBlocks(file, value, imported.findings)),
  routes: (value, imported, file) => {
    const { redirects, headers } = translateRoutes(file, value, imported.findings)
    imported.redirects.push(...redirects)
    imported.headers.push(...headers)
  },
  crons: (value, imported, file) => readCrons(value, imported, `${file} crons`),
  functions: (value, { findings }, file) => checkFunctions(file, value, findings),
  builds: (value, imported, file) => checkBuilds(file, value, imported),
  env: (value, imported, file) => readVariables(value, imported, file, 'both'),
  build: (value, imported, file) => readVariables(fieldsOf(value).env, imported, file, 'build'),
  alias: (value, imported) =>
    imported.domains.push(...listOf(Array.isArray(value) ? value : [value]).filter(isText)),
  cleanUrls: (value, imported) => {
    if (value === true) imported.redirects.push(...cleanUrlLines)
  },
  trailingSlash: (value, { findings }, file) =>
    findings.warn(
      file,
      `trailingSlash: ${String(value)} has no counterpart. Here the files decide: a.html is shown at /a, a/index.html at /a/.`,
    ),
  git: (value, imported, file) => readGit(fieldsOf(value), imported, file),
  ignoreCommand: (_, { findings }, file) =>
    findings.warn(
      file,
      "ignoreCommand does not run here. A commit with [skip svc] in its message is not built, and with a root folder ('svc git connect --root') only changes in it are.",
    ),
  images: (_, { findings }, file) =>
    findings.warn(
      file,
      'images: /_vercel/image does not exist here. Next.js optimises images itself; other sites need images in their final size.',
    ),
  regions: ignored('regions: the platform runs where its operator runs it.'),
  functionFailoverRegions: ignored('functionFailoverRegions: the platform runs where its operator runs it.'),
  bunVersion: (_, { findings }, file) =>
    findings.warn(file, 'bunVersion: server apps run on Node.js, unless a Procfile starts another program.'),
  bulkRedirectsPath: (value, { findings }, file) =>
    findings.warn(
      file,
      `bulkRedirectsPath: ${String(value)} is not read. Add its redirects to _redirects, one line each: /from /to 308!`,
    ),
  relatedProjects: ignored('relatedProjects has no counterpart.'),
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Redirects before rewrites, and both before the slash and extension rules, as on Vercel. */
const order = ['redirects', 'cleanUrls', 'routes', 'rewrites']

export function readVercelConfig(file: string, config: Fields, imported: Imported): void {
  const names = Object.keys(config)
  const inOrder = [
    ...names.filter(name => !order.includes(name)),
    ...order.filter(name => names.includes(name)),
  ]
  for (const name of inOrder) {
    const reader = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (reader) reader(config[name], imported, file)
    else imported.findings.warn(file, `'${name}' is not known to 'svc import' and is left out.`)
  }
}

/** `/about.html` leads to `/about`, and `/docs/index.html` to `/docs`. */
const cleanUrlLines = ['/*/index.html /:splat 308!', '/*.html /:splat 308!']

export function readCrons(value: unknown, imported: Imported, where: string): void {
  for (const item of listOf(value)) {
    const { path, schedule } = fieldsOf(item)
    const job = { path: textOf(path) ?? '', schedule: (textOf(schedule) ?? '').trim() }
    if (!job.path.startsWith('/') || job.schedule.split(/\s+/).length !== 5)
      imported.findings.warn(
        where,
        `A job needs a path that begins with / and a schedule of five fields, not '${job.path}' at '${job.schedule}'. It is left out.`,
      )
    else if (!imported.crons.some(known => known.path === job.path && known.schedule === job.schedule))
      imported.crons.push(job)
  }
}

/** A value that begins with @ names a secret. Its value is not in the file. */
function readVariables(value: unknown, imported: Imported, file: string, scope: 'both' | 'build'): void {
  // An array is only a list of names.
  for (const [key, text] of Object.entries(fieldsOf(value)))
    if (typeof text !== 'string' || text.startsWith('@')) imported.secrets.add(key)
    else imported.setVariable({ key, value: text, scope, source: file })
}

function readGit({ deploymentEnabled }: Fields, { build, findings }: Imported, file: string): void {
  if (deploymentEnabled === false) build.previews = false
  if (!isFields(deploymentEnabled)) return
  const off = Object.keys(deploymentEnabled).filter(branch => deploymentEnabled[branch] === false)
  if (off.some(branch => /^\*{1,2}$/.test(branch))) build.previews = false
  else if (off.length > 0)
    findings.warn(
      file,
      `git.deploymentEnabled: previews are on for all branches or none here, so ${off.join(', ')} will be built, too.`,
    )
}

export function noteUnreadable(findings: Findings, file: string): void {
  findings.warn(
    file,
    `is a program, and 'svc import' runs none. Its rules, headers and jobs are left out; a vercel.json with the same content is read.`,
  )
}
