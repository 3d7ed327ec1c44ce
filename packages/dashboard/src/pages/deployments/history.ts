// All deployments of a project, one of them, and its files, as the dashboard reads them.
import type { Deployment, DeploymentDetail, DeploymentKind, DeploymentStatus } from '@svc/contract'
import { call } from '../../api.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'
import { type Resource, useResource } from '../../resource.ts'

export interface HistoryFilter {
  status?: DeploymentStatus
  kind?: DeploymentKind
  branch?: string
}

const lists = new Map<string, PagedList<Deployment>>()

export function deploymentsOf(project: string, filter: HistoryFilter): PagedList<Deployment> {
  const key = `deployments of ${project} ${JSON.stringify(filter)}`
  const known = lists.get(key)
  if (known) return known
  const list = pagedList<Deployment>(
    key,
    async page => {
      const query = { ...filter, ...page }
      const { deployments, next_cursor } = await call('GET /projects/:name/deployments', {
        params: { name: project },
        query,
      })
      return { rows: deployments, next_cursor }
    },
    { project, topics: ['project', 'deployment'] },
  )
  lists.set(key, list)
  return list
}

export const useDeployment = (project: string, id: string): Resource<DeploymentDetail> =>
  useResource(
    `deployment ${id}`,
    () => call('GET /projects/:name/deployments/:id', { params: { name: project, id } }),
    { project, topics: ['project', 'deployment'] },
  )

/** How many files one page loads. */
const filesPerPage = '500'

/** The files of a deployment; with `since`, those that differ from another one. */
export const readFiles = (project: string, id: string, since: string | undefined, cursor: string | null) =>
  call('GET /projects/:name/deployments/:id/files', {
    params: { name: project, id },
    query: { limit: filesPerPage, ...(since && { since }), ...(cursor && { cursor }) },
  })
