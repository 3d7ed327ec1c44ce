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
  /** Whether the query may decide which file is shown at a path. */
  readonly showByQuery: boolean
}

interface Rule extends Redirect {
  order: number
  from: Pattern
  /** Parameters that must be there: a value, or `:name` for any. */
  query: [name: string, value: string][]
}

const limits = { static: 2_000, dynamic: 100, lineLength: 1_000 }

export interface RedirectsOptions {
  /** An app answers whatever is no file: then a rule can send visitors elsewhere, and show nothing itself. */
  isServer: boolean
}

export function readRedirects(
  text: string,
  options: RedirectsOptions = { isServer: false },
): { redirects: Redirects; warnings: string[] } {
  const rules: Rule[] = []
  const warnings: string[] = []
  const count = { static: 0, dynamic: 0 }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim()
    if (words === '' || words.startsWith('#')) continue
    const rule = readRule(words, rules.length)
    const problem = typeof rule === 'string' ? rule : (refusal(rule, options) ?? overLimit(rule, count))
    if (problem !== undefined) warnings.push(`_redirects line ${index + 1}: ${problem}`)
    else rules.push(rule as Rule)
  }
  return { redirects: compile(rules), warnings }
}

function readRule(line: string, order: number): Rule | string {
  if (line.length > limits.lineLength) return `is longer than ${limits.lineLength} characters`
  const comment = line.search(/\s#/)
  const [source = '', ...rest] = line.slice(0, comment < 0 ? undefined : comment).split(/\s+/)
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

function refusal({ status }: Rule, { isServer }: RedirectsOptions): string | undefined {
  if (!isServer || (status !== 200 && status !== 404)) return undefined
  return `a ${status} is for static sites: in a server deployment the app answers`
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
    showByQuery: rules.some(({ query, force, status }) => query.length > 0 && (force || status === 200)),
    match(path, query) {
      let given: URLSearchParams | undefined
      const parameters = () => {
        given ??= new URLSearchParams(query)
        return given
      }
      for (const rule of inOrder(plain.get(withoutSlash(path)) ?? [], dynamic)) {
        const values = rule.from.match(path)
        const more = values && queryValues(rule.query, parameters)
        const redirect = more && applied(rule, { ...values, ...more }, query)
        if (redirect && !leadsBack(redirect, path, query)) return redirect
      }
      return undefined
    },
  }
}

/** Of two lists in the order of the file, all in that order. */
function* inOrder(some: Rule[], others: Rule[]): Generator<Rule> {
  let at = 0
  for (const rule of some) {
    while (at < others.length && others[at]!.order < rule.order) yield others[at++]!
    yield rule
  }
  while (at < others.length) yield others[at++]!
}

/** A visitor who is sent to where they are would go round in circles: such a rule is passed over there. */
function leadsBack({ status, to }: Redirect, path: string, query: string): boolean {
  if (status === 200 || status === 404 || !to.startsWith('/')) return false
  const [, written = '', given = ''] = /^([^?#]*)\??([^#]*)/.exec(to) ?? []
  try {
    return given === query && decodeURIComponent(written) === path
  } catch {
    return false // written with an escape that is none: no path that was asked for is
  }
}

function queryValues(
  wanted: Rule['query'],
  parameters: () => URLSearchParams,
): Record<string, string> | undefined {
  const values: Record<string, string> = {}
  if (wanted.length === 0) return values
  const given = parameters()
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
