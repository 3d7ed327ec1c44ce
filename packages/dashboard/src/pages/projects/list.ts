// The lists of projects: of the signed-in account, and of each org.
import type { Project } from '@svc/contract'
import { call } from '../../api.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'

/** Newest first. */
const listOf = (key: string, of: { org?: string }) =>
  pagedList<Project>(
    key,
    async query => {
      const { projects, next_cursor } = await call('GET /projects', { query: { ...query, ...of } })
      return { rows: projects, next_cursor }
    },
    { topics: ['workspace', 'project'] },
  )

export const projectList = listOf('projects', {})
const orgLists = new Map<string, PagedList<Project>>()

export function projectsOf(org: string | undefined): PagedList<Project> {
  if (org === undefined) return projectList
  const list = orgLists.get(org) ?? listOf(`projects of ${org}`, { org })
  orgLists.set(org, list)
  return list
}

/** After a project was made, moved or deleted. */
export function forgetProjects(): void {
  for (const list of [projectList, ...orgLists.values()]) list.forget()
}
