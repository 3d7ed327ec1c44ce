// Settings, variables, domains and jobs of a project at Vercel.
import { isInjected } from '@svc/contract/dotenv'
import { environment } from '../../environment.ts'
import { shellWord } from '../../shell-word.ts'
import type { Imported } from '../imported.ts'
import { PlatformApi } from '../platform-api.ts'
import { type Fields, fieldsOf, listOf, textOf, textsOf } from '../untrusted.ts'
import { readCrons } from './config.ts'

export interface VercelLink {
  projectId: string
  teamId: string | undefined
}

/** Types of variables whose values Vercel never returns. */
const secretTypes = ['sensitive', 'secret']
const mostVariables = 500
const mostPages = 20

export async function readVercelApi(link: VercelLink, token: string, imported: Imported): Promise<void> {
  const api = new PlatformApi({
    platform: 'Vercel',
    baseUrl: environment.vercelApiUrl(),
    token,
    missing:
      "The project of .vercel/project.json does not exist, or the token cannot see it. Run 'vercel link' again.",
  })
  const path = `/v9/projects/${encodeURIComponent(link.projectId)}`
  const team = { teamId: link.teamId }
  readProject(fieldsOf(await api.get(path, team)), imported)
  await readVariables(api, link, imported)
  for (let page = 0, until: string | undefined; page < mostPages; page++) {
    const answer = fieldsOf(await api.get(`${path}/domains`, { ...team, limit: '100', until }))
    readDomains(answer.domains, imported)
    until = nextPage(answer)
    if (until === undefined) break
  }
}

function readProject(project: Fields, imported: Imported): void {
  const { build } = imported
  imported.framework = textOf(project.framework) ?? imported.framework
  build.build_cmd = textOf(project.buildCommand) ?? build.build_cmd
  build.install_cmd = textOf(project.installCommand) ?? build.install_cmd
  build.output_dir = textOf(project.outputDirectory) ?? build.output_dir
  build.root_dir = textOf(project.rootDirectory) ?? build.root_dir
  const { type, org, repo, productionBranch } = fieldsOf(project.link)
  if (type === 'github' && textOf(org) && textOf(repo)) imported.repository = `${String(org)}/${String(repo)}`
  imported.branch = textOf(productionBranch) ?? imported.branch
  readCrons(fieldsOf(project.crons).definitions, imported, 'Vercel crons')
  for (const protection of ['passwordProtection', 'ssoProtection', 'trustedIps'])
    if (project[protection])
      imported.findings.warn(
        'Vercel',
        `${protection}: the site is protected at Vercel. It is public here until you run 'svc password set', or set its access mode.`,
      )
}

async function readVariables(
  api: PlatformApi,
  { projectId, teamId }: VercelLink,
  imported: Imported,
): Promise<void> {
  const id = encodeURIComponent(projectId)
  const others = new Set<string>()
  let read = 0
  for (const item of listOf(
    fieldsOf(await api.get(`/v9/projects/${id}/env`, { teamId, decrypt: 'true' })).envs,
  )) {
    const variable = fieldsOf(item)
    const key = textOf(variable.key)
    if (key === undefined || variable.type === 'system' || isInjected(key)) continue
    if (!textsOf(variable.target).includes('production') || textOf(variable.gitBranch)) others.add(key)
    else if (secretTypes.includes(String(variable.type))) imported.secrets.add(key)
    else {
      const isOpen = variable.type === 'plain' || variable.decrypted === true
      // The list omits some decrypted values; the variable's own endpoint has them.
      const open =
        isOpen || ++read > mostVariables
          ? variable
          : fieldsOf(
              await api.get(`/v1/projects/${id}/env/${encodeURIComponent(String(variable.id))}`, { teamId }),
            )
      const value = isOpen || open.decrypted !== false ? open.value : undefined
      if (typeof value === 'string') imported.setVariable({ key, value, scope: 'both', source: 'Vercel' })
      else imported.secrets.add(key)
    }
  }
  noteOthers(
    [...others].filter(key => !imported.variables.has(key) && !imported.secrets.has(key)),
    imported,
  )
}

function noteOthers(keys: readonly string[], { findings }: Imported): void {
  if (keys.length > 0)
    findings.note(
      'Vercel',
      `${keys.join(', ')}: only for previews or development there, and left out. Variables here are the same for all branches.`,
    )
}

function readDomains(domains: unknown, imported: Imported): void {
  for (const item of listOf(domains)) {
    const { name, redirect, gitBranch } = fieldsOf(item)
    const domain = textOf(name)
    if (domain === undefined || domain.endsWith('.vercel.app')) continue
    imported.domains.push(domain)
    if (textOf(redirect))
      imported.findings.warn(
        'Vercel',
        `${domain} redirects to ${String(redirect)}. Add a line to _redirects: https://${domain}/* https://${String(redirect)}/:splat 308!`,
      )
    if (textOf(gitBranch))
      imported.findings.note(
        'Vercel',
        `${domain} shows the branch ${String(gitBranch)}: svc domains add ${shellWord(domain)} --branch ${shellWord(String(gitBranch))}`,
      )
  }
}

function nextPage({ pagination }: Fields): string | undefined {
  const { next } = fieldsOf(pagination)
  return typeof next === 'number' ? String(next) : undefined
}
