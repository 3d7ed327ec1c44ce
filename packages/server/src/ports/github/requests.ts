// Requests to GitHub, with limits of time and size. Errors say what to do and never contain a token.

import { request } from '@octokit/request'
import { hourMs } from '@svc/contract/durations'
import { GitHubError } from './port.ts'

const timeLimitMs = 10_000
const answerBytes = 8 * 1024 * 1024
/** The longest part of GitHub's own message in an error. */
const wordsAtMost = 300
/** GitHub recommends this pause if it limits requests and does not say for how long. */
const usualPauseMs = 60_000
const longestPauseMs = hourMs

interface RequestSettings {
  apiUrl: string
  userAgent: string
  pending: PendingRequests
}

/** The requests that have no answer yet. */
export class PendingRequests {
  readonly #open = new Set<AbortController>()
  #isEnded = false

  /** Runs a request and aborts it after the timeout. */
  async run<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(), timeLimitMs)
    this.#open.add(ending)
    if (this.#isEnded) ending.abort()
    try {
      return await request(ending.signal)
    } finally {
      clearTimeout(timer)
      this.#open.delete(ending)
    }
  }

  /** Aborts all pending requests. Later ones fail at once. */
  end(): void {
    this.#isEnded = true
    for (const request of this.#open) request.abort()
  }
}

export type Authorization = `Bearer ${string}` | undefined

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what it is made of is read field by field
  data: any
  /** The address of the next page. */
  hasNext: boolean
}

export type Send = (
  route: string,
  authorization: Authorization,
  parameters?: Record<string, unknown> & { headers?: Record<string, string> },
) => Promise<Answer>

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }
function ignore(): void {
  // Drop the library's warnings, which would go to the console and not to svcd's log.
}

/** A read is tried twice. A write is tried once, since GitHub may have done it even if the answer is lost. */
export function githubRequests({ apiUrl, userAgent, pending }: RequestSettings): Send {
  const pauses = new Pauses()
  const once: Send = async (route, authorization, { headers = {}, ...parameters } = {}) => {
    pauses.check(authorization)
    try {
      const options = {
        baseUrl: apiUrl,
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': userAgent,
          ...(authorization && { authorization }),
          ...headers,
        },
        ...parameters,
      }
      const answer = await pending.run(signal =>
        request(route, { ...options, request: { fetch: boundedFetch, signal, log: silent } }),
      )
      const link = String(answer.headers.link ?? '')
      return { status: answer.status, data: answer.data, hasNext: link.includes('rel="next"') }
    } catch (error) {
      const known = errorOf(route, error)
      if (known.kind === 'limited' && known.retryAt) pauses.begin(authorization, known.retryAt)
      throw known
    }
  }
  return async (route, authorization, parameters) => {
    try {
      return await once(route, authorization, parameters)
    } catch (error) {
      const isRead = route.startsWith('GET ')
      if (!isRead || !(error instanceof GitHubError) || error.kind !== 'unreachable') throw error
      return await once(route, authorization, parameters)
    }
  }
}

/** Remembers until when GitHub limits a token. GitHub blocks Apps that keep sending requests during that time. */
class Pauses {
  readonly #until = new Map<Authorization, number>()

  begin(who: Authorization, until: number): void {
    for (const [key, at] of this.#until) if (at <= Date.now()) this.#until.delete(key)
    this.#until.set(who, until)
  }

  check(who: Authorization): void {
    const until = this.#until.get(who) ?? 0
    if (until > Date.now()) throw limited(until)
  }
}

const limited = (until: number): GitHubError =>
  new GitHubError('limited', 'GitHub limits how often the platform may ask. It will try again.', until)

async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  let bytes = 0
  const bounded = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes > answerBytes) controller.error(new Error('the answer is too large'))
        else controller.enqueue(chunk)
      },
    }),
  )
  const hasBody = response.status !== 204 && response.status !== 205 && response.status !== 304
  return new Response(hasBody ? bounded : null, response)
}

interface Failed {
  status?: number
  message?: string
  response?: { headers?: Record<string, string | undefined>; data?: { message?: unknown } }
}

/** Makes a new error, since the library's error contains the whole request with its token. */
function errorOf(route: string, error: unknown): GitHubError {
  const { status = 500, response } = error as Failed
  const headers = response?.headers ?? {}
  const said = String(response?.data?.message ?? '').slice(0, wordsAtMost)
  const until = pauseUntil(status, headers, said)
  if (until !== undefined) return limited(until)
  if (!response || status >= 500)
    return new GitHubError('unreachable', `GitHub does not answer (${route}).`, Date.now() + 5_000)
  const kind = status === 404 || status === 410 ? 'missing' : status === 401 ? 'unauthorized' : 'refused'
  if (/suspended/i.test(said))
    return new GitHubError('suspended', `The installation is suspended (${route}).`)
  return new GitHubError(kind, `GitHub answered ${status} to ${route}: ${said}`)
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function pauseUntil(
  status: number,
  headers: Record<string, string | undefined>,
  said: string,
): number | undefined {
  const isSpent = headers['x-ratelimit-remaining'] === '0'
  const after = headers['retry-after']
  const isLimited = status === 429 || (status === 403 && (isSpent || after || /rate limit/i.test(said)))
  if (!isLimited) return undefined
  const wait = after
    ? Number(after) * 1000
    : isSpent
      ? Number(headers['x-ratelimit-reset']) * 1000 - Date.now()
      : usualPauseMs
  return Date.now() + Math.min(Math.max(Number.isFinite(wait) ? wait : usualPauseMs, 1000), longestPauseMs)
}
