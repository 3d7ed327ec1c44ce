// The list of projects, page after page.
import type { Project } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { call } from '../../api.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'

export const listKey = 'projects'

export interface ProjectList {
  projects: Project[]
  next_cursor: string | null
}

let shown: number = limits.page.default

/** As many projects as were shown before, so that a refresh does not fold the list. */
async function loadShown(): Promise<ProjectList> {
  const projects: Project[] = []
  let cursor: string | null = null
  do {
    const limit = String(Math.min(shown - projects.length, limits.page.max))
    const page: ProjectList = await call('GET /projects', { query: { limit, ...(cursor && { cursor }) } })
    projects.push(...page.projects)
    cursor = page.next_cursor
  } while (cursor && projects.length < shown)
  return { projects, next_cursor: cursor }
}

export const useProjects = (): Resource<ProjectList> => useResource(listKey, loadShown)

export async function loadMore({ projects, next_cursor }: ProjectList): Promise<void> {
  if (!next_cursor) return
  const page = await call('GET /projects', { query: { cursor: next_cursor } })
  shown = projects.length + page.projects.length
  writeResource<ProjectList>(listKey, list => ({
    projects: [...list.projects, ...page.projects],
    next_cursor: page.next_cursor,
  }))
}
