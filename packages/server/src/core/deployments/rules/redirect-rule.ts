// One line of `_redirects`: its parts, and the URL that it leads to.
import { fill, type Values, withoutSlash } from './pattern.ts'
import { matchSource, type RequestedUrl, readSource, type Source } from './source.ts'

const statuses = [200, 301, 302, 303, 307, 308, 404] as const
type RedirectStatus = (typeof statuses)[number]

/** What a matching rule asks for. */
export interface Redirect {
  status: RedirectStatus
  /** A path of this site. For a redirect also any URL. */
  to: string
  /** Applies even if a file exists at the path. */
  force: boolean
}

export interface RedirectRule extends Redirect {
  line: number
  from: Source
  /** Query parameters that the request must have: a value, or `:name` for any value. */
  query: [name: string, value: string][]
  /** The query was written as part of the path. If no other rule matches, the rule applies without its query. */
  isQueryOptional: boolean
}

const longestRule = 2_000
const isCode = (word: string | undefined): boolean => /^\d{3}!?$/.test(word ?? '')

/** Returns the rule of a line, or what is wrong with the line. */
export function readRule(words: readonly string[], line: number): RedirectRule | string {
  if (words.join(' ').length > longestRule) return `the rule is longer than ${longestRule} characters`
  const [written = '', ...rest] = words
  // Browsers do not send fragments.
  const [address = '', search = ''] = written.split('#')[0]!.split(/\?(.*)/s)
  const from = readSource(address)
  if (typeof from === 'string') return from
  if (from.path.stars > 1) return 'a path can have one * only'
  const query: RedirectRule['query'] = [...new URLSearchParams(escapePlus(search))]
  const inPath = query.length
  while (rest[0]?.includes('=') && !/^(\/|https?:)/i.test(rest[0])) query.push(pairOf(rest.shift()!))
  const isQueryOptional =
    inPath > 0 && inPath === query.length && query.every(([, value]) => !value.startsWith(':'))
  // A rule without a target, such as `/admin/* 200`, has its own path as the target.
  const [to, code = '301', ...conditions] =
    isCode(rest[0]) && address.endsWith('/*') ? [pathOf(address).replace(/\*$/, ':splat'), ...rest] : rest
  if (to === undefined || isCode(to)) return 'the target is missing'
  const condition = [code, ...conditions].find(word => word.includes('='))
  if (condition !== undefined) return `the condition '${shortened(condition)}' is not supported`
  if (conditions.length > 0) return `'${shortened(conditions[0]!)}' after the status has no meaning`
  const status = statuses.find(s => isCode(code) && String(s) === code.slice(0, 3))
  if (status === undefined)
    return `the status '${shortened(code)}' is not one of ${statuses.join(', ')} (with ! to win over files)`
  const isInside = /^\/(?!\/)/.test(to)
  if (!isInside && !/^https?:\/\/./i.test(to)) return 'the target must begin with / or http:// or https://'
  if (!isInside && !isAway(status)) return `a ${status} cannot show another site: nothing is proxied`
  const force = code.endsWith('!')
  return { line, from, query, isQueryOptional, to: to.replace(/[^!-~]+/g, encodeURIComponent), status, force }
}

/** Whether the visitor is redirected to another URL. */
export const isAway = (status: RedirectStatus): boolean => status !== 200 && status !== 404

const shortened = (word: string): string => (word.length > 40 ? `${word.slice(0, 40)}…` : word)

const pathOf = (address: string): string => address.replace(/^https?:\/\/[^/]*/i, '')

/** In a rule a plus is a plus. */
const escapePlus = (search: string): string => search.replaceAll('+', '%2B')

function pairOf(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1)]
}

/** The parameters of a query. If one comes more than once, the first counts. */
export function parametersOf(query: string): Map<string, string> {
  return new Map([...new URLSearchParams(query)].reverse())
}

/** The values of path and query. `undefined` if the rule does not apply. */
export function valuesOf(
  { from, query }: RedirectRule,
  asked: RequestedUrl,
  parameters: () => Map<string, string>,
): Values | undefined {
  const values = matchSource(from, asked)
  if (values === undefined || query.length === 0) return values
  for (const [name, value] of query) {
    const found = parameters().get(name)
    if (found === undefined) return undefined
    // NUL stands for a slash that does not separate path segments.
    if (value.startsWith(':')) values[value.slice(1)] = found.replaceAll('/', '\0')
    else if (found !== value) return undefined
  }
  return values
}

/** `undefined` if the rule would redirect to the same URL, or to a URL that is too long. */
export function apply(rule: RedirectRule, values: Values, asked: RequestedUrl): Redirect | undefined {
  const { status, force, to } = rule
  const [, path = '', search = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(to) ?? []
  const filled = [
    fill(path, values, value => encode(value, plainInPath)),
    search === '' ? asked.query : fill(search, values, value => encode(value, plainInQuery)),
    fill(fragment, values, value => encode(value, plainInQuery)),
  ]
  if (filled.includes(undefined)) return undefined
  if (!isAway(status)) return { status, force, to: filled[0]! }
  const redirect = { status, force, to: sameSiteSafe(filled.join(''), to) }
  return leadsBack(redirect.to, asked) ? undefined : redirect
}

/** A splat that begins with a slash must not turn a path of this site into another host. */
const sameSiteSafe = (address: string, to: string): string =>
  to.startsWith('/') ? `/${address.replace(/^[/\\]+/, '')}` : address

/** Characters that do not need escaping. Browsers do not escape them either. */
const plainInPath = /%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g
const plainInQuery = /%(?:24|2C|2F|3A|3B|40)/g

/** Only a slash that was escaped in the request, here NUL, is escaped again. */
const encode = (value: string, plain: RegExp): string =>
  encodeURIComponent(value).replace(plain, decodeURIComponent).replaceAll('%00', '%2F')

/** Whether a redirect leads to the requested URL. The scheme is ignored, because the platform redirects to HTTPS itself. */
function leadsBack(to: string, { path, query, host }: RequestedUrl): boolean {
  const [, name = host, written = '', search = ''] =
    /^(?:https?:\/\/([^/?#:]*)(?::\d*)?)?([^?#]*)([^#]*)/i.exec(to) ?? []
  try {
    const isHere = withoutSlash(decodeURIComponent(written || '/')) === withoutSlash(path)
    return isHere && search === query && name.toLowerCase() === host
  } catch {
    return false // an escape in the target that is none: no request has such a path
  }
}
