// Who a project belongs to, and who it may go to.
import type { Org, Project, ScopedKey } from '@svc/contract'
import { call } from '../../../api.ts'
import { forgetResource, writeResource } from '../../../resource.ts'
import { may } from '../../../rights.ts'
import { forgetProjects } from '../list.ts'
import { detailKey } from './detail.ts'

/** Whether the caller may delete the project or take it away; unknown until the orgs are there. */
export const mayTakeAway = (project: Project, orgs: Org[] | undefined): boolean | undefined =>
  mayDo(project, orgs, 'DELETE /projects/:name')

/** Whether the role of the caller reaches the route; unknown until the orgs are there. */
export function mayDo({ org }: Project, orgs: Org[] | undefined, route: ScopedKey): boolean | undefined {
  if (org === null) return true
  const role = orgs?.find(({ name }) => name === org)?.role
  return orgs && role !== undefined && may(role, route)
}

/** Moves the project to an org, or to the caller's own account with null. */
export async function transfer(name: string, org: string | null): Promise<void> {
  await call('POST /projects/:name/transfer', { params: { name }, body: { org } })
  writeResource<Project>(detailKey(name), project => ({ ...project, org }))
  forgetProjects()
}

export async function rename(name: string, to: string): Promise<void> {
  await call('POST /projects/:name/rename', { params: { name }, body: { name: to } })
  forgetProjects()
  forgetResource(detailKey(name))
}

export async function deleteProject(name: string): Promise<void> {
  await call('DELETE /projects/:name', { params: { name } })
  forgetProjects()
  forgetResource(detailKey(name))
}
