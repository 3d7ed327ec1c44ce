// svc logs --requests: prints the latest requests to the site. With --follow it also prints new ones.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoggedRequest } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { clean, dim, notice, print, printJson } from '../../output.ts'
import { isAway } from './follow.ts'

/** Older servers may leave out fields. */
type Loose = { [Field in keyof LoggedRequest]?: LoggedRequest[Field] | null | undefined }

interface Page {
  requests?: Loose[] | null | undefined
  next_cursor?: string | null | undefined
  sampled?: boolean | null | undefined
}

type Query = { limit: string; cursor?: string | undefined; since?: string | undefined }
export type AskRequests = (query: Query) => Promise<Page>

interface Wanted {
  tail: string | undefined
  since: string | undefined
  json: boolean | undefined
  /** Whether only some requests are asked for. */
  isFiltered: boolean
}

const noneYet = 'No requests yet. A request shows up within five seconds.'
const noneMatch = 'No request matches. The log keeps three days.'

const pageSize = 100
const usualTail = 100
const pollMs = 2_000
/** An edge writes its requests every two seconds, so an older request may show up after a newer one. */
const lateMs = 10_000

export async function showRequests(ask: AskRequests, wanted: Wanted): Promise<void> {
  const { requests, sampled } = await newest(ask, Number(wanted.tail ?? usualTail), wanted.since)
  if (wanted.json) return printJson({ requests, sampled })
  if (requests.length === 0) notice(wanted.isFiltered || wanted.since ? noneMatch : noneYet)
  if (sampled) notice('This is a sample: there were more requests than the log keeps.')
  for (const request of requests.toReversed()) print(lineOf(request))
}

/** Prints new requests until an error or the end of the program. With --json, each is one line of JSON. */
export async function followRequests(ask: AskRequests, { tail, since, json }: Wanted): Promise<never> {
  let from = since
  let seen = new Set<string>()
  let found = await newest(ask, Number(tail ?? usualTail), since)
  for (;;) {
    const fresh = found.requests.filter(({ id }) => !seen.has(id ?? ''))
    for (const request of fresh.toReversed()) print(json ? JSON.stringify(request) : lineOf(request))
    if (found.requests.length > 0) seen = new Set(found.requests.map(({ id }) => id ?? ''))
    const last = Date.parse(found.requests[0]?.at ?? '')
    if (!Number.isNaN(last)) from = ((last - lateMs) / 1000).toFixed(3)
    await sleep(pollMs)
    found = await newest(ask, Number.POSITIVE_INFINITY, from).catch(nothingOrThrow)
  }
}

/** Newest first. */
async function newest(ask: AskRequests, atMost: number, since: string | undefined) {
  const requests: Loose[] = []
  let sampled = false
  let cursor: string | undefined
  do {
    const limit = String(Math.min(pageSize, atMost - requests.length))
    const page = await ask({ limit, cursor, since })
    requests.push(...(page.requests ?? []))
    sampled ||= page.sampled ?? false
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && requests.length < atMost)
  return { requests, sampled }
}

/** A platform that cannot be reached, for example during a restart, is asked again. */
function nothingOrThrow(error: unknown): { requests: Loose[]; sampled: boolean } {
  if (!isAway(error)) throw error
  return { requests: [], sampled: false }
}

function lineOf({ at, method, status, ms, bytes, cache, host, path, count }: Loose): string {
  const columns = [
    clean(at),
    String(status ?? '').padStart(3),
    clean(method).padEnd(4),
    `${ms ?? 0} ms`.padStart(8),
    (bytes === undefined || bytes === null ? '' : formatBytes(bytes)).padStart(9),
    clean(cache ?? '-').padEnd(6),
    clean(host) + clean(path),
  ]
  const [time, ...rest] = columns
  return `${dim(time)}  ${rest.join('  ')}${(count ?? 1) > 1 ? dim(`  ×${count}`) : ''}`
}
