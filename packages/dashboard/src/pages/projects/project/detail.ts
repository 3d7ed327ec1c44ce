// One project as the dashboard shows it, and the calls that change it: roll back, promote and delete.
import type { Deployment, ProjectDetail } from '@svc/contract'
import { call } from '../../../api.ts'
import { usePolling } from '../../../changes.ts'
import { notify } from '../../../components/toasts.tsx'
import { type Resource, useResource, writeResource } from '../../../resource.ts'
import { complain } from '../../../use-work.ts'

const pollMs = 2_000
export const detailKey = (name: string) => `project ${name}`

export const loadProject = (name: string): Promise<ProjectDetail> =>
  call('GET /projects/:name', { params: { name } })

/** The project. It is polled while an upload into it is under way or its app starts, in case that the events are not heard. */
export function useProject(name: string): Resource<ProjectDetail> {
  const resource = useResource(detailKey(name), () => loadProject(name), {
    project: name,
    topics: ['project', 'deployment', 'app', 'domain', 'workspace'],
  })
  const { data, refresh } = resource
  const isMoving =
    data?.app?.state === 'starting' ||
    data?.app?.restart?.state === 'starting' ||
    data?.deployments.some(({ status }) => status === 'uploading')
  usePolling(isMoving === true, refresh, pollMs)
  return resource
}

/** The project with another deployment live: what the API will answer once the move is made. */
function withActive(project: ProjectDetail, id: string): ProjectDetail {
  const deployments = project.deployments.map((deployment): Deployment => {
    if (deployment.id === id) return { ...deployment, status: 'live' }
    return deployment.status === 'live' ? { ...deployment, status: 'superseded' } : deployment
  })
  return { ...project, deployments, active_deployment_id: id }
}

function without(project: ProjectDetail, id: string): ProjectDetail {
  return { ...project, deployments: project.deployments.filter(deployment => deployment.id !== id) }
}

/** Makes a deployment the live one. The page shows it at once, and takes it back if the API refuses. */
export async function activate(
  project: ProjectDetail,
  id: string,
  refresh: () => Promise<unknown>,
): Promise<void> {
  const { name, active_deployment_id: previous } = project
  writeResource<ProjectDetail>(detailKey(name), shown => withActive(shown, id))
  try {
    await call('POST /projects/:name/deployments/:id/activate', { params: { name, id } })
  } catch (error) {
    if (previous) writeResource<ProjectDetail>(detailKey(name), shown => withActive(shown, previous))
    complain(error)
    await refresh()
    return
  }
  announceLive(project, id, previous, refresh)
  await refresh()
}

/** Shows a message with a button that goes back to the deployment that was live before. */
function announceLive(
  project: ProjectDetail,
  id: string,
  previous: string | null,
  refresh: () => Promise<unknown>,
): void {
  const undo =
    previous && previous !== id ? () => void activate(withActive(project, id), previous, refresh) : undefined
  notify({ tone: 'ok', text: `${id} is live.`, ...(undo && { action: { label: 'Undo', run: undo } }) })
}

/** Makes the deployment of a branch the live one. Throws what the API said if it refused. */
export async function promote(project: ProjectDetail, id: string): Promise<void> {
  const { name } = project
  const input = { params: { name, id } }
  const { previous_deployment_id: previous } = await call(
    'POST /projects/:name/deployments/:id/promote',
    input,
  )
  await reload(name)
  announceLive(project, id, previous, () => reload(name))
}

async function reload(name: string): Promise<ProjectDetail> {
  const fresh = await loadProject(name)
  writeResource<ProjectDetail>(detailKey(name), () => fresh)
  return fresh
}

/** Makes an earlier deployment the live one, from any page. */
export async function rollBack(name: string, id: string): Promise<void> {
  try {
    await activate(await reload(name), id, () => reload(name))
  } catch (error) {
    complain(error)
  }
}

/** Deletes a deployment for good. Throws what the API said if it refused. */
export async function removeDeployment(project: ProjectDetail, id: string): Promise<void> {
  await call('DELETE /projects/:name/deployments/:id', { params: { name: project.name, id } })
  writeResource<ProjectDetail>(detailKey(project.name), shown => without(shown, id))
  notify({ tone: 'ok', text: `${id} was deleted.` })
}
