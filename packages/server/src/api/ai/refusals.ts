// What a client gets to see when the provider refuses. What concerns the operator's account is not passed on: messages
// about it name the organization and parts of the key.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { AiUpstream } from '../../core/ai/upstreams.ts'
import { GatewayError } from './errors.ts'
import { redactKey } from './redact.ts'

const bodyBytes = 64 * 1024
const messageLength = 4_000
const longestRetry = 3_600

/** Statuses that are about the request itself. Their message helps the client. */
const aboutRequest = new Set([400, 404, 405, 409, 413, 415, 422])

export async function refusalOf(
  { statusCode: status = 502, headers }: IncomingMessage,
  body: Readable,
  upstream: AiUpstream,
): Promise<GatewayError> {
  const cause = new Error(`the AI provider '${upstream.name}' answered ${status}`)
  if (status === 429)
    return new GatewayError(
      429,
      'upstream_rate_limit',
      'The AI provider limits how much this gateway may ask. Try again later.',
      { retryAfter: retryAfter(headers['retry-after']), cause },
    )
  if (status === 401 || status === 402 || status === 403)
    return new GatewayError(
      502,
      'upstream_refused',
      `The AI provider refuses this gateway's account (status ${status}). The operator has to look at the key and the account.`,
      { mayRetry: false, cause },
    )
  if (aboutRequest.has(status)) {
    const { message, code, param } = readError(await readStart(body))
    const words = message === undefined ? `The AI provider refuses the request (status ${status}).` : message
    return new GatewayError(status, code ?? 'upstream_refused', redact(words, upstream), { param })
  }
  if (status >= 500)
    return new GatewayError(
      status === 503 || status === 504 ? status : 502,
      'upstream_error',
      `The AI provider has a problem (status ${status}). Try again later.`,
      { retryAfter: retryAfter(headers['retry-after']), cause },
    )
  return new GatewayError(502, 'upstream_error', `The AI provider answered with the status ${status}.`, {
    mayRetry: false,
    cause,
  })
}

function retryAfter(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Math.min(Number(value), longestRetry) : undefined
}

/** Reads an error body. `undefined` if it is longer than any message, or if the connection breaks. */
async function readStart(body: Readable): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bodyBytes) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined // The status says enough.
  }
  return Buffer.concat(chunks).toString()
}

interface ProviderError {
  message?: string | undefined
  code?: string | undefined
  param?: string | undefined
}

function readError(text: string | undefined): ProviderError {
  try {
    const { error } = JSON.parse(text ?? '') as { error?: unknown }
    if (typeof error === 'string') return { message: error }
    const { message, code, param } = (error ?? {}) as Record<string, unknown>
    return { message: words(message), code: words(code)?.slice(0, 100), param: words(param)?.slice(0, 200) }
  } catch {
    return {} // Not in OpenAI's form.
  }
}

const words = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, messageLength) : undefined

/** Removes from a message the key, whole or shortened in the middle, and the organization. */
const redact = (message: string, upstream: AiUpstream): string =>
  redactKey(message, upstream).replace(/\b(?:sk|org|proj)-[\w*-]{4,200}/g, '[removed]')
