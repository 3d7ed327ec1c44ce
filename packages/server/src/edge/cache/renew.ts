// What the app says of an answer that did not change (304) takes the place of what it said before.
import type { IncomingHttpHeaders } from 'node:http'
import { type Asked, CachedAnswer, type Policies } from './cached-answer.ts'

/** These speak of a body or of a connection, and that was another; a cookie is for one visitor. */
const ofAnother = new Set([
  'content-length',
  'content-encoding',
  'content-type',
  'content-range',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'set-cookie',
])

/** `headers` are those of the 304 as visitors may have them. Undefined where the answer may no longer be kept. */
export function renew(
  cached: CachedAnswer,
  { request, answer }: Asked,
  headers: readonly string[],
  policies: Policies,
): CachedAnswer | undefined {
  const news: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(answer.headers)) if (!ofAnother.has(name)) news[name] = value
  const { age: _age, ...before } = cached.source
  const asked = { request, answer: { statusCode: cached.answered.status, headers: { ...before, ...news } } }
  const policy = policies(asked)
  if (policy === undefined) return undefined
  const said = fieldsOf(headers).filter(([name]) => !ofAnother.has(name.toLowerCase()))
  const names = new Set(said.map(([name]) => name.toLowerCase()))
  const kept = fieldsOf(cached.answered.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return new CachedAnswer(cached.place, policy, asked, {
    ...cached.answered,
    headers: [...kept, ...said].flat(),
  })
}

function fieldsOf(headers: readonly string[]): [name: string, value: string][] {
  const fields: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) fields.push([headers[i]!, headers[i + 1]!])
  return fields
}
