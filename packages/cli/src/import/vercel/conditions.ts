// Translates `has` of Vercel's rules for the host and the query. Refuses all other conditions, and `missing`.
import { literal, Untranslatable } from '../rules/source-pieces.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../untrusted.ts'

interface Conditions {
  host: string | undefined
  query: [name: string, value: string][]
  /** Names of groups in the conditions, which the target may use. */
  names: string[]
}

export function readConditions(rule: Fields): Conditions {
  if (listOf(rule.missing).length > 0) throw new Untranslatable("'missing' has no counterpart")
  const conditions: Conditions = { host: undefined, query: [], names: [] }
  for (const item of listOf(rule.has)) {
    const { type, key, value } = fieldsOf(item)
    if (type === 'host' && conditions.host === undefined) conditions.host = hostOf(value)
    else if (type === 'query' && typeof key === 'string')
      conditions.query.push(queryOf(key, value, conditions))
    else throw new Untranslatable(`the condition 'has ${String(type)}' has no counterpart`)
  }
  return conditions
}

/** A host without a wildcard. Its dots count as plain dots, escaped or not. */
function hostOf(value: unknown): string {
  const host = literal(
    (textOf(value) ?? '')
      .replace(/^\^/, '')
      .replace(/\$$/, '')
      .replace(/(?<!\\)\./g, '\\.'),
  )
  if (host === undefined || !/^[a-z0-9.-]+$/i.test(host))
    throw new Untranslatable('a host condition can name one host only, without an expression')
  return host.toLowerCase()
}

/** A query parameter with a certain value, or `:name` for any value. */
function queryOf(key: string, value: unknown, { query, names }: Conditions): [string, string] {
  // No target uses this name.
  if (value === undefined) return [key, `:any${query.length}`]
  const expression = textOf(value) ?? ''
  const [, name] = /^\(\?<([A-Za-z]\w*)>\.[*+]\)$/.exec(expression) ?? []
  if (name !== undefined) {
    names.push(name)
    return [key, `:${name}`]
  }
  const plain = literal(expression)
  if (plain === undefined || plain.startsWith(':'))
    throw new Untranslatable(`the query condition ${key}=${expression} cannot be written`)
  return [key, plain]
}
