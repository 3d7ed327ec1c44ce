// Who a project belongs to, and who it may go to.
import type { Org, Project } from '@svc/contract'
import { call } from '../../api.ts'
import { forgetResource, useResource, writeResource } from '../../resource.ts'
import { projectList } from '../projects/list.ts'
import { detailKey } from './detail.ts'

/** The orgs of the signed-in account; nobody is in more than one page of them. */
export const useOwnOrgs = (): Org[] | undefined =>
  useResource('own orgs', async () => (await call('GET /orgs', { query: { limit: '100' } })).orgs).data

/** Whether the caller may delete the project or take it away; unknown until the orgs are there. */
export function mayTakeAway({ org }: Project, orgs: Org[] | undefined): boolean | undefined {
  if (org === null) return true
  const role = orgs?.find(({ name }) => name === org)?.role
  return orgs && (role === 'admin' || role === 'owner')
}

/** Moves the project to an org, or to the caller's own account with null. */
export async function transfer(name: string, org: string | null): Promise<void> {
  await call('POST /projects/:name/transfer', { params: { name }, body: { org } })
  writeResource<Project>(detailKey(name), project => ({ ...project, org }))
  projectList.forget()
}

export async function deleteProject(name: string): Promise<void> {
  await call('DELETE /projects/:name', { params: { name } })
  projectList.forget()
  forgetResource(detailKey(name))
}
