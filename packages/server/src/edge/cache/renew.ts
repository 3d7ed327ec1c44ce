// What the app says of an answer that did not change (304) takes the place of what it said before.
import type { IncomingHttpHeaders } from 'node:http'
import { type Asked, CachedAnswer, type Policies } from './cached-answer.ts'

/** These speak of a body, and there was none. */
const ofBody = new Set([
  'content-length',
  'content-encoding',
  'content-type',
  'content-range',
  'transfer-encoding',
])
const ofConnection = new Set(['connection', 'keep-alive'])

/** Undefined where it may no longer be kept. */
export function renew(
  cached: CachedAnswer,
  { request, answer }: Asked,
  policies: Policies,
): CachedAnswer | undefined {
  const news: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(answer.headers))
    if (!ofBody.has(name) && !ofConnection.has(name) && name !== 'set-cookie') news[name] = value
  const { age: _age, ...before } = cached.source
  const asked = { request, answer: { statusCode: cached.answered.status, headers: { ...before, ...news } } }
  const policy = policies(asked)
  if (policy === undefined) return undefined
  const headers = cached.answered.headers.map((value, i, all) =>
    i % 2 === 0 ? value : String(news[all[i - 1]!.toLowerCase()] ?? value),
  )
  return new CachedAnswer(cached.place, policy, asked, { ...cached.answered, headers })
}
