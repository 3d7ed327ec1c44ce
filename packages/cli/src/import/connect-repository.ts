// Connects the repository: the one at GitHub if the platform can, else one that the platform hosts.
import { ApiError, type SparseClient } from '@svc/contract/client'
import { bold, clean, cyan, print, warn } from '../output.ts'
import { connect } from '../session.ts'
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

const bodyOf = ({ imported: { build }, branch }: Plan, repo: string) => ({
  repo,
  branch,
  build_cmd: build.build_cmd,
  install_cmd: build.install_cmd,
  output_dir: build.output_dir,
  root_dir: build.root_dir,
  previews: build.previews,
})

/** False if the platform has no access to GitHub. */
async function tryGithub(call: SparseClient, plan: Plan, repo: string): Promise<boolean> {
  try {
    await call('POST /projects/:name/repo', { params: { name: plan.project }, body: bodyOf(plan, repo) })
    print(`Connected ${bold(clean(repo))}: pushes to ${clean(plan.branch)} go live.`)
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500 || error.status === 401)
      throw error
    const { install_url } = await call('GET /github')
    if (!install_url) return false
    warn(`${clean(repo)} is not connected yet: ${clean(error.message)} Run: ${connectCommand(plan, repo)}`)
    return true
  }
}

async function hostRepository(call: SparseClient, plan: Plan): Promise<void> {
  const repo = `${await ownerOf(plan)}/${plan.project}`
  const { clone_url } = await call('POST /projects/:name/repo', {
    params: { name: plan.project },
    body: bodyOf(plan, repo),
  })
  print(`Made the repository ${bold(clean(repo))} on this platform: pushes to ${clean(plan.branch)} go live.`)
  if (!clone_url) return
  print('Push to it, with a token as the password (svc token cli git):')
  print(`  ${cyan(`git remote add svc ${clean(clone_url)}`)}`)
  print(`  ${cyan(`git push svc ${clean(plan.branch)}`)}`)
}

/** The command that connects it with the same settings. */
function connectCommand({ imported: { build }, branch, project }: Plan, repo: string): string {
  const options: [string, string | undefined][] = [
    ['--branch', branch],
    ['--build-cmd', build.build_cmd],
    ['--install-cmd', build.install_cmd],
    ['--output', build.output_dir],
    ['--root', build.root_dir],
    ['--project', project],
  ]
  const words = options.flatMap(([name, value]) => (value === undefined ? [] : [name, quoted(clean(value))]))
  return ['svc git connect', clean(repo), ...words].join(' ')
}

const quoted = (word: string): string =>
  /^[\w@./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
