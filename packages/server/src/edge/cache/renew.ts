// What the app says of an answer that did not change (304) takes the place of what it said before (RFC 9111, 3.2).
import type { CachedAnswer } from './cached-answer.ts'

/** These describe a body or a connection, and the 304 had another; a cookie is for one visitor. */
const notUpdated = new Set([
  'content-length',
  'content-encoding',
  'content-range',
  'content-md5',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'set-cookie',
])

/** `said` are the fields of the 304 as visitors may have them. */
export function renewedHeaders(cached: CachedAnswer, said: readonly string[]): string[] {
  const news = fieldsOf(said).filter(([name]) => !notUpdated.has(name.toLowerCase()))
  const names = new Set(news.map(([name]) => name.toLowerCase()))
  // The age that the answer had before says nothing about it now.
  names.add('age')
  const kept = fieldsOf(cached.answered.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return [...kept, ...news].flat()
}

function fieldsOf(headers: readonly string[]): [name: string, value: string][] {
  const fields: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) fields.push([headers[i]!, headers[i + 1]!])
  return fields
}
