// Connects the repository: the one at GitHub if the platform can, else one that the platform hosts.
import { ApiError, type SparseClient } from '@svc/contract/client'
import { bold, clean, cyan, print, warn } from '../output.ts'
import { connect } from '../session.ts'
import { shellWord } from '../shell-word.ts'
import type { Plan } from './plan.ts'
import { ownerOf } from './steps.ts'

export async function connectRepository(plan: Plan): Promise<void> {
  const { imported, project: name, repository } = plan
  const github = repository?.github ?? imported.repository
  if (!repository && github === undefined)
    return print(
      "No repository to connect: this directory is in no git repository. 'svc git connect' connects one later.",
    )
  const call = connect()
  const present = await connected(call, name)
  if (present !== undefined) return print(`${bold(clean(present))} is connected already.`)
  if (github !== undefined && (await tryGithub(call, plan, github))) return
  await hostRepository(call, plan)
}

async function connected(call: SparseClient, name: string): Promise<string | undefined> {
  try {
    return (await call('GET /projects/:name/repo', { params: { name } })).repo ?? undefined
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

const bodyOf = ({ imported: { build }, branch }: Plan, repo: string, forge: 'github' | 'builtin') => ({
  repo,
  forge,
  branch,
  build_cmd: build.build_cmd,
  install_cmd: build.install_cmd,
  output_dir: build.output_dir,
  root_dir: build.root_dir,
  previews: build.previews,
})

/** False if the platform does not use GitHub. */
async function tryGithub(call: SparseClient, plan: Plan, repo: string): Promise<boolean> {
  try {
    const params = { name: plan.project }
    const answer = await call('POST /projects/:name/repo', { params, body: bodyOf(plan, repo, 'github') })
    print(`Connected ${bold(clean(repo))}: pushes to ${branchOf(plan, answer.branch)} go live.`)
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    // A server of an older version does not have this endpoint.
    const github = await call('GET /github').catch(() => undefined)
    if (!github?.install_url) return false
    warn(`${clean(repo)} is not connected yet: ${clean(error.message)}\nRun: ${connectCommand(plan, repo)}`)
    return true
  }
}

async function hostRepository(call: SparseClient, plan: Plan): Promise<void> {
  const repo = `${await ownerOf(plan)}/${plan.project}`
  const params = { name: plan.project }
  const answer = await call('POST /projects/:name/repo', {
    params,
    body: bodyOf(plan, repo, 'builtin'),
  }).catch(refused)
  if (answer === undefined) return
  const branch = branchOf(plan, answer.branch)
  print(`Made the repository ${bold(clean(repo))} on this platform: pushes to ${branch} go live.`)
  if (!answer.clone_url) return
  print('Push to it, with a token as the password (svc token cli git):')
  print(`  ${cyan(`git remote add svc ${clean(answer.clone_url)}`)}`)
  print(`  ${cyan(`git push svc ${shellWord(branch)}`)}`)
}

/** Only warns: everything else is imported, and a repository can be connected later. */
function refused(error: unknown): undefined {
  if (!isRefusal(error)) throw error
  warn(`No repository is connected: ${clean(error.message)} 'svc git connect <owner/repo>' connects one.`)
}

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401

const branchOf = ({ branch }: Plan, answered: string | null | undefined): string =>
  clean(answered ?? branch ?? 'main')

/** The command that connects the repository with the same settings. */
function connectCommand({ imported: { build }, branch, project }: Plan, repo: string): string {
  const options: [string, string | undefined][] = [
    ['--branch', branch],
    ['--build-cmd', build.build_cmd],
    ['--install-cmd', build.install_cmd],
    ['--output', build.output_dir],
    ['--root', build.root_dir],
    ['--project', project],
  ]
  const words = options.flatMap(([name, value]) =>
    value === undefined ? [] : [name, shellWord(clean(value))],
  )
  const previews = build.previews === false ? ['--no-previews'] : []
  return ['svc git connect', shellWord(clean(repo)), ...words, ...previews].join(' ')
}
