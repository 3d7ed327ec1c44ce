// `_redirects`: Netlify's and Cloudflare Pages' rules, one per line, the first match wins.
import { fill, type Pattern, readPattern, withoutSlash } from './pattern.ts'

const statuses = [200, 301, 302, 303, 307, 308, 404] as const
export type RedirectStatus = (typeof statuses)[number]

/** What a matching rule asks for. */
export interface Redirect {
  status: RedirectStatus
  /** A path of this site, or for a redirect any address. */
  to: string
  /** Applies even where a file exists. */
  force: boolean
}

export interface Redirects {
  /** Of a decoded path and the query as it came (without `?`). */
  match(path: string, query: string): Redirect | undefined
  readonly isEmpty: boolean
  /** Whether a rule that wins over files looks at the query. */
  readonly forcesByQuery: boolean
}

interface Rule extends Redirect {
  order: number
  from: Pattern
  /** Parameters that must be there: a value, or `:name` for any. */
  query: [name: string, value: string][]
}

const limits = { static: 2_000, dynamic: 100, lineLength: 1_000 }

export function readRedirects(text: string): { redirects: Redirects; warnings: string[] } {
  const rules: Rule[] = []
  const warnings: string[] = []
  const count = { static: 0, dynamic: 0 }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim()
    if (words === '' || words.startsWith('#')) continue
    const rule = readRule(words, rules.length)
    const problem = typeof rule === 'string' ? rule : overLimit(rule, count)
    if (problem !== undefined) warnings.push(`_redirects line ${index + 1}: ${problem}`)
    else rules.push(rule as Rule)
  }
  return { redirects: compile(rules), warnings }
}

function readRule(line: string, order: number): Rule | string {
  if (line.length > limits.lineLength) return `is longer than ${limits.lineLength} characters`
  const [source = '', ...rest] = line.replace(/\s#.*$/, '').split(/\s+/)
  const from = /^https?:\/\//i.test(source) ? 'rules for other hosts are not supported' : readPattern(source)
  if (typeof from === 'string') return from
  const query: Rule['query'] = []
  while (rest[0]?.includes('=') && !/^(\/|https?:)/i.test(rest[0])) {
    const [name = '', value = ''] = split(rest.shift() ?? '')
    query.push([name, value])
  }
  const [to, code = '301', ...conditions] = rest
  if (to === undefined) return 'a target is missing'
  if (conditions.length > 0) return `the condition '${conditions[0]}' is not supported`
  const status = statuses.find(s => String(s) === code.replace('!', ''))
  if (status === undefined || !/^\d{3}!?$/.test(code))
    return `the status '${code}' is not one of ${statuses.join(', ')}`
  const isInside = to.startsWith('/') && !to.startsWith('//')
  if (!isInside && !/^https?:\/\/./i.test(to)) return 'the target must begin with / or http:// or https://'
  if (!isInside && (status === 200 || status === 404))
    return `a ${status} to another site is refused: nothing is proxied`
  if (status >= 300 && status < 400 && from.isStatic && query.length === 0 && withoutSlash(to) === from.text)
    return 'the target is the path itself'
  return {
    order,
    from,
    query,
    to: to.replace(/[^!-~]+/g, encodeURIComponent),
    status,
    force: code.endsWith('!'),
  }
}

function overLimit(rule: Rule, count: { static: number; dynamic: number }): string | undefined {
  const kind = rule.from.isStatic ? 'static' : 'dynamic'
  if (count[kind] >= limits[kind]) return `there are more than ${limits[kind]} ${kind} rules`
  count[kind]++
  return undefined
}

/** Plain paths are looked up, so that their number costs nothing; the few others are tried in order. */
function compile(rules: Rule[]): Redirects {
  const plain = new Map<string, Rule[]>()
  const dynamic = rules.filter(rule => !rule.from.isStatic)
  for (const rule of rules)
    if (rule.from.isStatic) plain.set(rule.from.text, [...(plain.get(rule.from.text) ?? []), rule])
  return {
    isEmpty: rules.length === 0,
    forcesByQuery: rules.some(rule => rule.force && rule.query.length > 0),
    match(path, query) {
      const here = plain.get(withoutSlash(path)) ?? []
      const candidates = here.length === 0 ? dynamic : [...here, ...dynamic].sort((a, b) => a.order - b.order)
      for (const rule of candidates) {
        const values = rule.from.match(path)
        const more = values && queryValues(rule.query, query)
        if (more) return applied(rule, { ...values, ...more }, query)
      }
      return undefined
    },
  }
}

function queryValues(wanted: Rule['query'], query: string): Record<string, string> | undefined {
  const values: Record<string, string> = {}
  if (wanted.length === 0) return values
  const given = new URLSearchParams(query)
  for (const [name, value] of wanted) {
    const found = given.get(name)
    if (found === null || (!value.startsWith(':') && found !== value)) return undefined
    if (value.startsWith(':')) values[value.slice(1)] = found
  }
  return values
}

/** Values go into addresses encoded; the request's query is passed on unless the target has its own. */
function applied({ status, to, force }: Rule, values: Record<string, string>, query: string): Redirect {
  const encoded = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodePath(value)]))
  const filled = fill(to, encoded)
  if (status === 200 || status === 404) return { status, to: filled, force }
  const [target = '', fragment] = filled.split('#')
  const withQuery = query !== '' && !target.includes('?') ? `${target}?${query}` : target
  const address = fragment === undefined ? withQuery : `${withQuery}#${fragment}`
  return { status, to: sameSiteSafe(address, to), force }
}

/** A splat that begins with a slash must not turn a path of this site into another host. */
const sameSiteSafe = (address: string, to: string): string =>
  to.startsWith('/') ? `/${address.replace(/^[/\\]+/, '')}` : address

const encodePath = (value: string): string => value.split('/').map(encodeURIComponent).join('/')

function split(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1)]
}
