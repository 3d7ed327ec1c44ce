// The lists of projects: of the signed-in account, and of each org, searched and ordered by the server.
import type { ListedProject } from '@svc/contract'
import { call } from '../../api.ts'
import { announce } from '../../changes.ts'
import { type PagedList, pagedList } from '../../paged-list.ts'
import { complain } from '../../use-work.ts'

export const sorts = [
  { value: 'activity', title: 'Last activity' },
  { value: 'name', title: 'Name' },
] as const

export type Sort = (typeof sorts)[number]['value']

interface Wanted {
  /** Undefined for the workspace of the account. */
  org?: string | undefined
  sort?: Sort
  /** Words in the names. */
  q?: string
}

const loadedAtFirst = 48
/** A choice among projects offers all of them, unless they are more than anybody has. */
const offeredAtMost = 1000

const lists = new Map<string, PagedList<ListedProject>>()

function listOf({ org, sort = 'activity', q = '' }: Wanted, first: number): PagedList<ListedProject> {
  const key = `projects ${JSON.stringify([org, sort, q, first])}`
  const known = lists.get(key)
  if (known) return known
  const list = pagedList<ListedProject>(
    key,
    async page => {
      const query = { ...page, sort, ...(org && { org }), ...(q && { q }) }
      const { projects, next_cursor } = await call('GET /projects', { query })
      return { rows: projects, next_cursor }
    },
    { topics: ['workspace', 'project', 'deployment', 'build'] },
    first,
  )
  lists.set(key, list)
  return list
}

/** Starred ones first. */
export const projectsOf = (wanted: Wanted): PagedList<ListedProject> => listOf(wanted, loadedAtFirst)

/** The names to choose from. */
export const useNamesOf = (org: string | undefined): string[] | undefined =>
  listOf({ org, sort: 'name' }, offeredAtMost)
    .use()
    .data?.rows.map(({ name }) => name)
    .sort()

/** After a project was made, moved or deleted. */
export function forgetProjects(): void {
  for (const list of lists.values()) list.forget()
  lists.clear()
}

/** Stars a project, or takes the star off. The page shows it at once, and takes it back if the API refuses. */
export async function star(name: string, starred: boolean): Promise<void> {
  const show = (value: boolean) => {
    for (const list of lists.values())
      list.change(rows => rows.map(row => (row.name === name ? { ...row, starred: value } : row)))
  }
  show(starred)
  try {
    await call(starred ? 'PUT /projects/:name/star' : 'DELETE /projects/:name/star', { params: { name } })
    // Starred projects come first.
    announce(({ topics }) => topics.includes('workspace'))
  } catch (error) {
    show(!starred)
    complain(error)
  }
}
