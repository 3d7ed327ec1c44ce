// Writes the lines of `_redirects` and `_headers`.
import { escapeCharacter, type Pattern } from './pattern.ts'
import { Untranslatable } from './source-pieces.ts'

/** The statuses that our `_redirects` has. */
const statuses = [200, 301, 302, 303, 307, 308, 404]

interface RedirectLine {
  /** `https://` and a host, if the rule is for one host only. */
  host?: string | undefined
  from: Pattern
  /** Query parameters that the request must have, each with its value, or `:name` for any value. */
  query?: readonly (readonly [name: string, value: string])[]
  to: string
  status: number
  /** The rule applies even if there is a file at the path. */
  force: boolean
}

export function redirectLine({ host, from, query = [], to, status, force }: RedirectLine): string {
  if (!statuses.includes(status)) throw new Untranslatable(`the status ${status} is not known here`)
  const isInside = /^\/(?!\/)/.test(to)
  if (!isInside && !/^https?:\/\/[^/]/i.test(to))
    throw new Untranslatable('its target is neither a path nor an http URL')
  if (!isInside && (status === 200 || status === 404))
    throw new Untranslatable(
      'it shows another site, and this platform proxies none. Redirect to it, or call it directly',
    )
  const conditions = query.map(([name, value]) => `${parameterName(name)}=${queryWord(value)}`)
  const source = host === undefined ? from.path : `https://${host}${from.path}`
  const words = [source, ...conditions, spaceless(to), `${status}${force ? '!' : ''}`]
  const line = words.join(' ')
  if (line.length > 2_000) throw new Untranslatable('a rule can have 2,000 characters at most')
  return line
}

/** Replaces the names of a target (`:name` with a modifier, or `$1`) by their translation. */
export function fillTarget(
  to: string,
  values: ReadonlyMap<string, string>,
  order: readonly string[],
): string {
  return to.replace(/:(\w+)[*+?]?(\w?)|\$(\d)(\w?)/g, (whole, name, after, index, afterIndex) => {
    const value = values.get(name ?? order[Number(index) - 1])
    if (value === undefined) return whole
    const next: string = after || afterIndex || ''
    return value + (/:\w+$/.test(value) ? next.replace(/^\w/, escapeCharacter) : next)
  })
}

/** The rule contains the value as it is, so the value cannot contain spaces or the start of a comment. */
function queryWord(text: string): string {
  if (/[\s#&]/.test(text) || text === '')
    throw new Untranslatable(`the query condition '${text}' cannot be written`)
  return text
}

/** A name with other characters could be read as a path or a second condition. */
function parameterName(name: string): string {
  if (!/^[\w.~[\]-]+$/.test(name)) throw new Untranslatable(`the query parameter '${name}' cannot be written`)
  return name
}

const spaceless = (text: string): string => text.replace(/[\s\p{Cc}]/gu, encodeURIComponent)

export interface HeaderBlock {
  path: string
  /** The headers in order. The value `undefined` removes a header that earlier blocks set. */
  headers: [name: string, value: string | undefined][]
}

export const headerLines = ({ path, headers }: HeaderBlock): string[] => [
  path,
  ...headers.map(([name, value]) => (value === undefined ? `  ! ${name}` : `  ${name}: ${value}`)),
]
