// `svc git`: which repository the project builds from, how, and how its last builds went.
import type { Build, Forge, ProductionLock, Repo } from '@svc/contract'
import { ApiError, type Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { printWithTexts } from '../../folded-table.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, dim, firstLine, green, minute, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

const shownBuilds = '10'

export const showGit: Run = async ({ options }) => {
  const name = requireProject(options)
  const call = connect()
  const repo = await call('GET /projects/:name/repo', { params: { name } }).catch(missing)
  if (repo === undefined) {
    if (options.json) return printJson({ repo: null, builds: [] })
    return print("No repository is connected. 'svc git connect <owner/repo>' connects one.")
  }
  const answer = await call('GET /projects/:name/builds', {
    params: { name },
    query: { limit: shownBuilds },
  })
  const builds = required(answer, 'builds')
  if (options.json) return printJson({ repo, builds })
  const { production_lock } = await call('GET /projects/:name', { params: { name } })
  printTable(settingsOf(repo, production_lock))
  print('')
  if (builds.length === 0)
    return print(`No builds yet. Push to ${clean(repo.branch ?? 'the production branch')} to start one.`)
  printWithTexts(builds.map(rowOf), 2)
}

/** Undefined if the project has no repository. A missing project is an error. */
function missing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'not_found' && error.message.includes('no repository'))
    return undefined
  throw error
}

/** What follows the name of a repository. */
const hosts: Record<Forge, string> = {
  builtin: '',
  github: ' at GitHub',
  gitlab: ' (GitLab)',
  gitea: ' (Gitea)',
  public: ' (public, not told of pushes)',
}

const settingsOf = (repo: Sparse<Repo>, lock: Sparse<ProductionLock> | null | undefined): string[][] =>
  [
    ['repository', `${bold(clean(repo.repo ?? ''))}${hosts[repo.forge ?? 'builtin']}`],
    ['production', clean(repo.branch ?? '')],
    ['locked', lock ? `since ${minute(lock.at)}: pushes do not go live until 'svc git unlock'` : ''],
    ['previews', repo.previews ? 'for every other branch' : 'off'],
    ['folder', clean(repo.root_dir ?? '')],
    ['install', clean(repo.install_cmd ?? '')],
    ['build', clean(repo.build_cmd ?? '')],
    ['output', clean(repo.output_dir ?? '')],
    ['push to', clean(repo.clone_url ?? '')],
  ].filter(([, value]) => value !== '')

const rowOf = (build: Sparse<Build>): string[] => [
  bold(build.id ?? ''),
  build.status === 'succeeded' ? green(build.status) : (build.status ?? ''),
  clean(build.branch ?? ''),
  dim((build.commit_sha ?? '').slice(0, 7)),
  minute(build.created_at),
  firstLine(build.commit_message, 60),
]
