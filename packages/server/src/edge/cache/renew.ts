// Updates the headers of a stored answer from a 304 (RFC 9111, 3.2).
import type { CachedAnswer } from './cached-answer.ts'

/** Not taken from a 304: fields about its own body or connection, and cookies, which are for one visitor. */
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

/** `said` are the header fields of the 304, without those that visitors must not see. */
export function renewedHeaders(cached: CachedAnswer, said: readonly string[]): string[] {
  const news = fieldsOf(said).filter(([name]) => !notUpdated.has(name.toLowerCase()))
  const names = new Set(news.map(([name]) => name.toLowerCase()))
  // The age of the answer before the renewal no longer counts.
  names.add('age')
  const kept = fieldsOf(cached.answered.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return [...kept, ...news].flat()
}

function fieldsOf(headers: readonly string[]): [name: string, value: string][] {
  const fields: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) fields.push([headers[i]!, headers[i + 1]!])
  return fields
}
