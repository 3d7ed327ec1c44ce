// `svc deployments`: the recent deployments of a project, or those that match the filters.
import type { Deployment, DeploymentStatus, Suspension } from '@svc/contract'
import type { Sparse, SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { printWithUrls } from '../../folded-table.ts'
import { requireProject } from '../../link.ts'
import { type OptionValues, options } from '../../options.ts'
import {
  bold,
  clean,
  count,
  cyan,
  dim,
  firstLine,
  green,
  minute,
  print,
  printJson,
  size,
  warn,
} from '../../output.ts'
import { allPages, countOf } from '../../pages.ts'
import { connect, required } from '../../session.ts'

const usualCount = 20
const mostPerPage = 100

export const listDeployments: Run = async ({ options: given }) => {
  const name = requireProject(given)
  const call = connect()
  const found = isFiltered(given) ? await search(call, name, given) : await recent(call, name)
  if (given.json) return printJson(found.answer)
  if (found.suspended)
    warn(
      `The operator suspended ${name}: ${clean(found.suspended.reason)} Visitors get the status ${found.suspended.status ?? 503}.`,
    )
  if (found.deployments.length === 0) return print(found.none)
  const withNode = found.deployments.some(({ node_version }) => node_version)
  printWithUrls(found.deployments.map(deployment => rowOf(deployment, found.activeId, withNode)))
}

interface Found {
  deployments: Sparse<Deployment>[]
  activeId: string | null | undefined
  suspended: Sparse<Suspension> | null | undefined
  /** For --json. */
  answer: unknown
  /** What to say if there are none. */
  none: string
}

const isFiltered = ({ branch, status, limit }: OptionValues): boolean =>
  [branch, status, limit].some(value => value !== undefined)

/** The 20 of the project itself, which a deploy token may read, too. */
async function recent(call: SparseClient, name: string): Promise<Found> {
  const project = await call('GET /projects/:name', { params: { name } })
  return {
    deployments: required(project, 'deployments'),
    activeId: project.active_deployment_id,
    suspended: project.suspended,
    answer: project,
    none: "No deployments yet. 'svc deploy' makes the first one.",
  }
}

async function search(
  call: SparseClient,
  name: string,
  { branch, status, limit: wanted }: OptionValues,
): Promise<Found> {
  const most = countOf(wanted, usualCount)
  const filter = { branch, status: statusOf(status) }
  const limit = String(Math.min(most, mostPerPage))
  const fetchPage = (cursor: string | undefined) =>
    call('GET /projects/:name/deployments', { params: { name }, query: { ...filter, cursor, limit } })
  const [project, answer] = await Promise.all([
    call('GET /projects/:name', { params: { name } }),
    allPages('deployments', fetchPage, most),
  ])
  return {
    deployments: answer.deployments,
    activeId: project.active_deployment_id,
    suspended: project.suspended,
    answer,
    none: "No deployments match. 'svc deployments' lists the recent ones.",
  }
}

const statuses: readonly string[] = options.status.choices satisfies readonly DeploymentStatus[]

function statusOf(word: string | undefined): DeploymentStatus | undefined {
  if (word === undefined || statuses.includes(word)) return word as DeploymentStatus | undefined
  throw new Failure(`--status must be one of ${statuses.join(', ')}, not '${word}'.`)
}

/** Nothing of these is online, so that their URLs show nothing. */
const offline: readonly (string | undefined | null)[] = ['failed', 'uploading'] satisfies DeploymentStatus[]

const rowOf = (deployment: Sparse<Deployment>, activeId: Found['activeId'], withNode: boolean): string[] => [
  deployment.id === activeId ? `${green('*')} ${bold(deployment.id)}` : `  ${deployment.id ?? ''}`,
  deployment.status ?? '',
  dim(minute(deployment.created_at)),
  count(deployment.file_count, 'file'),
  size(deployment.size_bytes),
  clean(deployment.commit_author ?? deployment.created_by),
  dim(clean(deployment.git_sha).slice(0, 7)),
  clean(deployment.git_branch),
  firstLine(deployment.commit_message, 40),
  ...(withNode ? [dim(deployment.node_version ? `Node ${clean(deployment.node_version)}` : '')] : []),
  offline.includes(deployment.status) ? '' : cyan(clean(deployment.url)),
]
