// A typed client of the API that uses fetch. It imports the endpoints only as types, which keeps bundles small.
import type { Answer, Body, PathParams, Query } from './endpoint.ts'
import type { EndpointKey, EndpointTable } from './endpoints.ts'
import type { ErrorBody } from './errors.ts'
import { SilenceTimeout } from './silence-timeout.ts'

type Part<Name extends string, T> = [T] extends [never] ? unknown : { [N in Name]: T }
type Optional<T> = Partial<T> extends T ? { query?: T } : { query: T }

/** The path parameters, query and body of a call. Each is required only if the endpoint has it. */
type CallInput<K extends EndpointKey> = (keyof PathParams<K> extends never
  ? unknown
  : { params: PathParams<K> }) &
  ([Query<EndpointTable[K]>] extends [never] ? unknown : Optional<Query<EndpointTable[K]>>) &
  Part<'body', Body<EndpointTable[K]>>

type Arguments<K extends EndpointKey> = unknown extends CallInput<K> ? [] : [input: CallInput<K>]
type LooseInput = { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown }

/** An answer that is not a success, or no answer at all (status 0, `network_error`). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The URL that the answer redirects to. The client follows no redirect: the token is for one origin. */
  readonly location: string | undefined
  /** With `domain_taken`: the DNS record that proves that the domain is yours. */
  readonly proof: ErrorBody['error']['proof']
  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      cause?: unknown
      location?: string | undefined
      proof?: ErrorBody['error']['proof']
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.location = options.location
    this.proof = options.proof
  }
}

export interface ClientSettings {
  baseUrl: string
  token?: string | undefined
  headers?: Record<string, string>
  /** How long the platform may send nothing. Default: 30 s. */
  silenceMs?: number | undefined
  /** Explains why there was no answer, if the client can tell. */
  reason?: (cause: unknown) => string | undefined
  /** Called with the version of the platform, with each answer that names one. */
  onVersion?: (version: string) => void
}

export { SilenceTimeout }

/** The target of a call: the path with its parameters filled in, and the query. */
export function target(key: EndpointKey, input: LooseInput = {}): { method: string; path: string } {
  const [method = '', pattern = ''] = key.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => segment(name, input.params?.[name] ?? ''))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return { method, path: query.size > 0 ? `${path}?${query}` : path }
}

/**
 * Encodes a path parameter. Throws for an empty one, `.` and `..`: a URL parser would remove them, and the call would
 * reach another endpoint.
 */
function segment(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new ApiError(404, 'not_found', `There is no ${name} '${value}'`)
  return encodeURIComponent(value)
}

/** Reads an error answer into an ApiError. A proxy may have answered in the platform's place. */
export function errorFrom(status: number, text: string, location?: string | null): ApiError {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>
    if (typeof error?.code === 'string' && typeof error.message === 'string')
      return new ApiError(status, error.code, error.message, error.proof && { proof: error.proof })
  } catch {
    // The answer is not JSON, so a proxy sent it. Only its status is known.
  }
  const to = status > 299 && status < 400 && location ? location : undefined
  const message = `API returned HTTP ${status}${to ? `: a redirect to ${to.slice(0, 200)}` : ''}`
  return new ApiError(status, 'unknown', message, { location: to })
}

/** Reads an answer: its body on success, an ApiError otherwise. */
export function answerFrom<T>(status: number, text: string, location?: string | null): T {
  if (status < 200 || status > 299) throw errorFrom(status, text, location)
  const message = `API returned HTTP ${status} with a body that is not a JSON object`
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw new ApiError(status, 'unknown', message, { cause })
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new ApiError(status, 'unknown', message)
  return answer as T
}

export function networkError(baseUrl: string, cause: unknown, reason?: string): ApiError {
  const message = `Could not reach ${baseUrl}${reason ? `: ${reason}` : ''}`
  return new ApiError(0, 'network_error', message, { cause })
}

/** Calls that wait for a server app to start or to answer, or for a certificate. */
const slowCalls: readonly EndpointKey[] = [
  'POST /projects/:name/deployments/:id/activate',
  'POST /projects/:name/domains/:domain/certificate/refresh',
  'PUT /projects/:name/env/:key',
  'DELETE /projects/:name/env/:key',
  'POST /projects/:name/restart',
  'POST /projects/:name/crons/:id/run',
]
/** Larger than any answer of the API. Another server at that URL must not fill the memory. */
const mostAnswerBytes = 256 * 1024 * 1024
const usualSilenceMs = 30_000
const slowFactor = 5

/**
 * Sends a call and returns the response, also that of an error. Its body fails when the platform sends nothing for too
 * long.
 */
async function request(
  settings: ClientSettings,
  key: EndpointKey,
  input: LooseInput = {},
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Response> {
  const { method, path } = target(key, input)
  const headers: Record<string, string> = { accept: 'application/json', ...settings.headers }
  if (settings.token) headers.authorization = `Bearer ${settings.token}`
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  const silenceMs = settings.silenceMs ?? usualSilenceMs
  const timeout = new SilenceTimeout(slowCalls.includes(key) ? silenceMs * slowFactor : silenceMs)
  const response = await timeout.during(
    fetch(baseUrlOf(settings) + path, {
      method,
      headers,
      redirect: 'manual',
      signal: timeout.signal,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    }),
  )
  const version = response.headers.get('x-svc-version')
  if (version !== null) settings.onVersion?.(version)
  return timeout.guard(response, mostBytes)
}

const baseUrlOf = ({ baseUrl }: ClientSettings): string => withoutTrailingSlashes(baseUrl)

export function withoutTrailingSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** Runs `request` and turns network errors into an ApiError. */
async function reached<T>(settings: ClientSettings, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw networkError(baseUrlOf(settings), cause, settings.reason?.(cause))
  }
}

export function createClient(settings: ClientSettings) {
  return async function call<K extends EndpointKey>(
    key: K,
    ...[input]: Arguments<K>
  ): Promise<Answer<EndpointTable[K]>> {
    return await reached(settings, async () => {
      const response = await request(settings, key, input as LooseInput, mostAnswerBytes)
      return answerFrom(response.status, await response.text(), response.headers.get('location'))
    })
  }
}

export type Client = ReturnType<typeof createClient>

/** An answer of a platform of another version. Any field may be missing or null. */
export type Sparse<T> = T extends readonly (infer Row)[]
  ? Sparse<Row>[]
  : T extends object
    ? { [Field in keyof T]?: Sparse<T[Field]> | null | undefined }
    : T

/** The client for programs whose version may differ from the platform's. */
export type SparseClient = <K extends EndpointKey>(
  key: K,
  ...input: Arguments<K>
) => Promise<Sparse<Answer<EndpointTable[K]>>>

/** Calls an endpoint whose answer is not JSON. Returns the response if it is a success. */
export async function download<K extends EndpointKey>(
  settings: ClientSettings,
  key: K,
  ...[input]: Arguments<K>
): Promise<Response> {
  return await reached(settings, async () => {
    const response = await request(settings, key, input as LooseInput)
    if (response.ok) return response
    throw errorFrom(response.status, await response.text(), response.headers.get('location'))
  })
}
