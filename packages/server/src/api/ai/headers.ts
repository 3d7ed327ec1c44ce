// Which header fields pass the gateway. Lists of what passes, so that nothing else does: no token, no cookie and no
// address of the client goes to the provider; no cookie, organization or limit of the operator's account comes back.
import type { IncomingHttpHeaders } from 'node:http'

const toProvider = [
  'accept',
  'accept-language',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'idempotency-key',
  'openai-beta',
  'user-agent',
]

const toClient = [
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'openai-model',
  'openai-processing-ms',
  'openai-version',
  'x-request-id',
]

/**
 * Asks for no compression, because the gateway reads the token counts in the answer. All owners share the operator's account at
 * the provider, so the same Idempotency-Key of two owners must not be the same there.
 */
export function providerHeaders(headers: IncomingHttpHeaders, ownerId: string): Record<string, string> {
  const { 'idempotency-key': key, ...picked } = pick(headers, toProvider)
  return {
    ...picked,
    ...(key !== undefined && { 'idempotency-key': `${ownerId}-${key}` }),
    'accept-encoding': 'identity',
  }
}

export const clientHeaders = (headers: IncomingHttpHeaders): Record<string, string> => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...pick(headers, toClient),
})

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') picked[name] = value
  }
  return picked
}
