import type { Project } from '@svc/contract'
import { call } from '../../api.ts'
import { pagedList } from '../../paged-list.ts'

/** The projects of the signed-in account, newest first. */
export const projectList = pagedList<Project>('projects', async query => {
  const { projects, next_cursor } = await call('GET /projects', { query })
  return { rows: projects, next_cursor }
})
