// Links to the rows of a table. Its name may hold anything, so it stands in the query.
import { href } from '../../paths.ts'
import type { TableAt } from './databases.ts'

export function tableHref({ project, schema, table }: TableAt, skip = 0): string {
  const query = new URLSearchParams({ schema, table, ...(skip > 0 && { skip: String(skip) }) })
  return `${href('/projects/:name/tables', { name: project })}?${query}`
}
