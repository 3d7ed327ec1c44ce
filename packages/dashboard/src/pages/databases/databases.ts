// The PostgreSQL database of a project as the dashboard shows it, and the calls that change it.
import type { Answer, EndpointTable, TableRows } from '@svc/contract'
import { call, saveFile, sendFile } from '../../api.ts'
import { usePolling } from '../../changes.ts'
import { type Resource, useResource } from '../../resource.ts'

type DatabaseAnswer = Answer<EndpointTable['GET /projects/:name/database']>
type Queries = Answer<EndpointTable['GET /projects/:name/database/queries']>
type Tables = Answer<EndpointTable['GET /projects/:name/database/tables']>
type SlowStatements = Answer<EndpointTable['GET /projects/:name/database/slow']>

const pollMs = 10_000

/** Polled until it has been measured, of which no event tells. */
export function useDatabase(name: string): Resource<DatabaseAnswer> {
  const resource = useResource(
    `database of ${name}`,
    () => call('GET /projects/:name/database', { params: { name } }),
    { project: name, topics: ['project', 'app'] },
  )
  usePolling(resource.data?.database?.used_bytes === null, resource.refresh, pollMs)
  return resource
}

/** What its connections do now. No event tells of that. */
export function useQueries(name: string): Resource<Queries> {
  const resource = useResource(`queries of ${name}`, () =>
    call('GET /projects/:name/database/queries', { params: { name } }),
  )
  usePolling(true, resource.refresh, pollMs)
  return resource
}

/** Which statements took the most time since the server counts. */
export const useSlowStatements = (name: string): Resource<SlowStatements> =>
  useResource(`slow statements of ${name}`, () =>
    call('GET /projects/:name/database/slow', { params: { name } }),
  )

export const useTables = (name: string): Resource<Tables> =>
  useResource(`tables of ${name}`, () => call('GET /projects/:name/database/tables', { params: { name } }))

export interface TableAt {
  project: string
  schema: string
  table: string
}

export const rowsPerPage = 50

/** Each load is in the audit log. */
export const useRows = ({ project, schema, table }: TableAt, offset: number): Resource<TableRows> =>
  useResource(`rows of ${JSON.stringify([project, schema, table, offset])}`, () =>
    call('POST /projects/:name/database/rows', {
      params: { name: project },
      body: { schema, table, offset, limit: rowsPerPage },
    }),
  )

export const createDatabase = (name: string, restore: boolean) =>
  call('POST /projects/:name/database', { params: { name }, body: { restore } })

/** A dump that is not complete is not saved. */
export const saveDump = (name: string): Promise<void> =>
  saveFile('GET /projects/:name/database/dump', { name }, `${name}.dump`)

/** Its bytes decide about it, not the type that the browser takes it for. */
export const loadDump = (name: string, dump: File) =>
  sendFile(
    'POST /projects/:name/database/load',
    { name },
    dump.slice(0, dump.size, 'application/octet-stream'),
    {
      confirm: name,
    },
  )

export const setPreviewData = (name: string, preview_data: 'empty' | 'copy') =>
  call('PATCH /projects/:name/database', { params: { name }, body: { preview_data } })

export const removeDatabase = (name: string) =>
  call('DELETE /projects/:name/database', { params: { name }, body: { confirm: name } })
