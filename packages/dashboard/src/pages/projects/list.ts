// The lists of projects: of the signed-in account, and of each org.
import type { ListedProject } from '@svc/contract'
import { call } from '../../api.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'
import { complain } from '../../use-work.ts'

/** Search and order are done here, so the list is loaded whole, unless it is longer than anybody's. */
const loadedAtFirst = 1000

const listOf = (key: string, of: { org?: string }) =>
  pagedList<ListedProject>(
    key,
    async query => {
      const { projects, next_cursor } = await call('GET /projects', { query: { ...query, ...of } })
      return { rows: projects, next_cursor }
    },
    { topics: ['workspace', 'project', 'deployment', 'build'] },
    loadedAtFirst,
  )

export const projectList = listOf('projects', {})
const orgLists = new Map<string, PagedList<ListedProject>>()

export function projectsOf(org: string | undefined): PagedList<ListedProject> {
  if (org === undefined) return projectList
  const list = orgLists.get(org) ?? listOf(`projects of ${org}`, { org })
  orgLists.set(org, list)
  return list
}

/** After a project was made, moved or deleted. */
export function forgetProjects(): void {
  for (const list of [projectList, ...orgLists.values()]) list.forget()
}

/** Stars a project, or takes the star off. The list shows it at once, and takes it back if the API refuses. */
export async function star(list: PagedList<ListedProject>, name: string, starred: boolean): Promise<void> {
  const show = (value: boolean) =>
    list.change(rows => rows.map(row => (row.name === name ? { ...row, starred: value } : row)))
  show(starred)
  try {
    await call(starred ? 'PUT /projects/:name/star' : 'DELETE /projects/:name/star', { params: { name } })
  } catch (error) {
    show(!starred)
    complain(error)
  }
}
