// `_headers`: response headers by path, in Netlify's and Cloudflare Pages' syntax. Every matching rule applies.
import { fill, type Pattern, readPattern } from './pattern.ts'

/** In file order: set (again for one that is there: joined by a comma), or remove. */
export type HeaderChange = { name: string; value: string } | { name: string; remove: true }

export interface HeaderRules {
  match(path: string): HeaderChange[]
  readonly isEmpty: boolean
}

interface Rule {
  pattern: Pattern
  changes: HeaderChange[]
}

const limits = { rules: 200, lines: 5_000, lineLength: 2_000 }
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** What belongs to the connection, the content or the platform. */
const forbidden = new Set([
  'accept-ranges',
  'age',
  'allow',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'date',
  'keep-alive',
  'last-modified',
  'etag',
  'http2-settings',
  'location',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'server',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'vary',
  'x-svc-cache',
  'x-svc-deployment',
])

export function readHeaders(text: string): { headers: HeaderRules; warnings: string[] } {
  const rules: Rule[] = []
  const warnings: string[] = []
  const lines = text.split(/\r?\n/)
  if (lines.length > limits.lines) warnings.push(`_headers: only the first ${limits.lines} lines are read`)
  let current: Rule | undefined
  for (const [index, line] of lines.slice(0, limits.lines).entries()) {
    const words = line.trim()
    if (words === '' || words.startsWith('#')) continue
    const warn = (problem: string) => warnings.push(`_headers line ${index + 1}: ${problem}`)
    if (line.length > limits.lineLength) warn(`is longer than ${limits.lineLength} characters`)
    else if (/^\S/.test(line)) current = readPath(words, rules, warn)
    else if (current) readChange(words, current, warn)
    else warn('a header must follow the path that it is for')
  }
  return { headers: compile(rules), warnings }
}

function readPath(words: string, rules: Rule[], warn: (problem: string) => void): Rule | undefined {
  const pattern = /^https?:\/\//i.test(words) ? 'rules for other hosts are not supported' : readPattern(words)
  // Its headers still belong to it, and go nowhere with it.
  const rule = { pattern: pattern as Pattern, changes: [] }
  if (typeof pattern === 'string') warn(pattern)
  else if (rules.length >= limits.rules) warn(`there are more than ${limits.rules} rules`)
  else rules.push(rule)
  return rule
}

function readChange(words: string, rule: Rule, warn: (problem: string) => void): void {
  const removal = words.startsWith('!')
  const colon = words.indexOf(':')
  const name = (removal ? words.slice(1) : words.slice(0, Math.max(0, colon))).trim()
  const value = removal ? '' : words.slice(colon + 1).trim()
  const lower = name.toLowerCase()
  if (!nameShape.test(name)) warn('is not `Name: value`')
  else if (forbidden.has(lower)) warn(`the header ${name} is the platform's`)
  else if (/[^\t\x20-\x7e\xa0-\xff]/.test(value))
    warn(`the value of ${name} has characters that headers cannot carry`)
  else rule.changes.push(removal ? { name: lower, remove: true } : { name: lower, value })
}

function compile(rules: Rule[]): HeaderRules {
  const plain = new Map<string, Rule[]>()
  const order = new Map(rules.map((rule, i) => [rule, i]))
  const dynamic = rules.filter(rule => !rule.pattern.isStatic)
  for (const rule of rules)
    if (rule.pattern.isStatic) plain.set(rule.pattern.text, [...(plain.get(rule.pattern.text) ?? []), rule])
  return {
    isEmpty: rules.every(rule => rule.changes.length === 0),
    match(path) {
      const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path
      const candidates = [...(plain.get(trimmed) ?? []), ...dynamic].sort(
        (a, b) => order.get(a)! - order.get(b)!,
      )
      const changes: HeaderChange[] = []
      for (const { pattern, changes: own } of candidates) {
        const values = pattern.match(path)
        if (values)
          for (const change of own)
            changes.push('remove' in change ? change : { ...change, value: fill(change.value, safe(values)) })
      }
      return changes
    },
  }
}

/** A path's parts go into header values only where they can do no harm there. */
const safe = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeURI(value)]))
