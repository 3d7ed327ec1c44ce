// Who changed what: the audit log of an organization or a project, newest first.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Answer, EndpointTable } from '@svc/contract'
import { download, type Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, dim, minute, print, printJson, printTable } from '../../output.ts'
import { allPages, countOf } from '../../pages.ts'
import { connect, sessionSettings } from '../../session.ts'

type Log = Sparse<Answer<EndpointTable['GET /orgs/:name/audit']>>
type PageQuery = { cursor: string | undefined; limit: string }

export const orgAudit: Run = async ({ args: [name = '', count], options }) => {
  if (options.export) return await exportOrg(name)
  const most = countOf(count)
  const call = connect()
  show(await read(query => call('GET /orgs/:name/audit', { params: { name }, query }), most), options.json)
}

async function exportOrg(name: string): Promise<void> {
  const response = await download(sessionSettings(), 'GET /orgs/:name/audit/export', { params: { name } })
  await pipeline(Readable.fromWeb(response.body as ReadableStream), process.stdout, { end: false })
}

export const projectAudit: Run = async ({ args: [count], options }) => {
  const most = countOf(count)
  const name = requireProject(options)
  const call = connect()
  show(
    await read(query => call('GET /projects/:name/audit', { params: { name }, query }), most),
    options.json,
  )
}

const read = (fetchPage: (query: PageQuery) => Promise<Log>, most: number): Promise<Log> =>
  allPages('entries', cursor => fetchPage({ cursor, limit: String(Math.min(most, 100)) }), most)

function show(log: Log, json: boolean | undefined): void {
  if (json) printJson(log)
  else if (!log.entries?.length) print('Nothing has happened yet.')
  else printTable(rowsOf(log))
}

const rowsOf = ({ entries }: Log): string[][] =>
  (entries ?? []).map(({ at, actor, action, target, ip, details }) => [
    dim(minute(at)),
    bold(actor),
    action ?? '',
    clean(target),
    dim(ip),
    clean(
      Object.entries(details ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    ),
  ])
