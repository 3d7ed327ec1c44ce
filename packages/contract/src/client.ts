// A typed client of the API on plain fetch. It knows the endpoints as types only, so that it weighs nothing.
import type { Answer, Body, PathParams, Query } from './endpoint.ts'
import type { EndpointKey, EndpointTable } from './endpoints.ts'

type Part<Name extends string, T> = [T] extends [never] ? unknown : { [N in Name]: T }
type Optional<T> = Partial<T> extends T ? { query?: T } : { query: T }

/** Path parameters, query and body of one call, each asked for only where the endpoint has it. */
export type CallInput<K extends EndpointKey> = (keyof PathParams<K> extends never
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
  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

export interface ClientSettings {
  baseUrl: string
  token?: string | undefined
  headers?: Record<string, string>
}

/** The target of a call: the path with its parameters filled in, and the query. */
export function target(key: EndpointKey, input: LooseInput = {}): { method: string; path: string } {
  const [method = '', pattern = ''] = key.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => segment(name, input.params?.[name] ?? ''))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value))
  return { method, path: query.size > 0 ? `${path}?${query}` : path }
}

/** URL parsers resolve `.`, `..` and nothing away, and the call would hit another endpoint than was meant. */
function segment(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new ApiError(404, 'not_found', `There is no ${name} '${value}'`)
  return encodeURIComponent(value)
}

/** Reads an error answer into an ApiError, whatever a proxy may have put in its place. */
export function errorFrom(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    if (typeof error?.code === 'string' && typeof error.message === 'string')
      return new ApiError(status, error.code, error.message)
  } catch {
    // Not JSON: the answer came from something in between, and its status is all we know.
  }
  return new ApiError(status, 'unknown', `API returned HTTP ${status}`)
}

/** Reads an answer: its body on success, an ApiError otherwise. */
export function answerFrom<T>(status: number, text: string): T {
  if (status < 200 || status > 299) throw errorFrom(status, text)
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    const message = `API returned HTTP ${status} with a body that is not JSON`
    throw new ApiError(status, 'unknown', message, { cause })
  }
}

export function networkError(baseUrl: string, cause: unknown): ApiError {
  return new ApiError(0, 'network_error', `Could not reach ${baseUrl}`, { cause })
}

/** Sends a call and answers the response, whatever it says. */
async function request(
  settings: ClientSettings,
  key: EndpointKey,
  input: LooseInput = {},
): Promise<Response> {
  const { method, path } = target(key, input)
  const headers: Record<string, string> = { accept: 'application/json', ...settings.headers }
  if (settings.token) headers.authorization = `Bearer ${settings.token}`
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  return await fetch(baseUrlOf(settings) + path, {
    method,
    headers,
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
  })
}

const baseUrlOf = ({ baseUrl }: ClientSettings): string => withoutTrailingSlashes(baseUrl)

export function withoutTrailingSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

export function createClient(settings: ClientSettings) {
  return async function call<K extends EndpointKey>(
    key: K,
    ...[input]: Arguments<K>
  ): Promise<Answer<EndpointTable[K]>> {
    let status: number
    let text: string
    try {
      const response = await request(settings, key, input as LooseInput)
      status = response.status
      text = await response.text()
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      throw networkError(baseUrlOf(settings), cause)
    }
    return answerFrom(status, text)
  }
}

export type Client = ReturnType<typeof createClient>

/** For answers that are not JSON: the response, once it is known to be a success. */
export async function download<K extends EndpointKey>(
  settings: ClientSettings,
  key: K,
  ...[input]: Arguments<K>
): Promise<Response> {
  try {
    const response = await request(settings, key, input as LooseInput)
    if (!response.ok) throw errorFrom(response.status, await response.text())
    return response
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw networkError(baseUrlOf(settings), cause)
  }
}
