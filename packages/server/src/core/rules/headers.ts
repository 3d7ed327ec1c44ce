// `_headers`: response headers by path, in Netlify's and Cloudflare Pages' syntax. Every matching rule applies.
import { Credentials } from './basic-auth.ts'
import { type HeaderChange, readHeaderLine } from './header-line.ts'
import { lookup } from './lookup.ts'
import { fill, type Pattern, readPattern } from './pattern.ts'
import { type Asked, matchSource, readSource, type Source } from './source.ts'
import { Warnings } from './warnings.ts'

export type { HeaderChange }

export interface HeaderRules {
  /** In file order. */
  match(asked: Asked): HeaderChange[]
  /** What protects a path: a visitor needs a password that each of these accepts. `null` if a rule lifts the protection. */
  guards(asked: Asked): Credentials[] | null
  readonly isEmpty: boolean
  /** Whether any path asks for a password. */
  readonly hasGuards: boolean
  /** Whether the host makes a difference. */
  readonly looksAtHost: boolean
}

interface Rule {
  line: number
  from: Source
  changes: HeaderChange[]
  /** Of the text of all changes. */
  size: number
  /** Who may open the paths; `null` if an earlier rule's protection is lifted. */
  guard: Credentials | null | undefined
}

const limits = { rules: 200, lineLength: 2_000 }
/** More than clients take. */
const mostBytes = 16 * 1024
const isPath = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i

export function readHeaders(text: string): { headers: HeaderRules; warnings: string[] } {
  const rules: Rule[] = []
  const warnings = new Warnings('_headers')
  let current: Rule | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim()
    if (words === '' || words.startsWith('#')) continue
    const warn = (problem: string, done: string) => warnings.add(index + 1, problem, done)
    if (isPath.test(words)) current = readPath(words, index + 1, rules, warn)
    else if (current === undefined) warn('a header must follow the path that it is for', ignored)
    else readHeader(words, current, rules, warn)
  }
  return {
    headers: compile(rules.filter(rule => rule.changes.length > 0 || rule.guard !== undefined)),
    warnings: warnings.list,
  }
}

const ignored = 'The line is ignored.'
type Warn = (problem: string, done: string) => void

/** A rule with a path that is refused is not among the rules, and takes its headers along. */
function readPath(words: string, line: number, rules: Rule[], warn: Warn): Rule {
  const from = words.length > limits.lineLength ? tooLong : readSource(words)
  const rule: Rule = { line, from: everything, changes: [], size: 0, guard: undefined }
  const done = 'The path and its headers are ignored.'
  if (typeof from === 'string') warn(from, done)
  else if (rules.length >= limits.rules) warn(`there are more than ${limits.rules} paths`, done)
  else rules.push(Object.assign(rule, { from }))
  return rule
}

const tooLong = `the line is longer than ${limits.lineLength} characters`
const everything: Source = { host: undefined, path: readPattern('/*') as Pattern, isStatic: false }

function readHeader(words: string, rule: Rule, rules: Rule[], warn: Warn): void {
  const header = words.length > limits.lineLength ? tooLong : readHeaderLine(words)
  if (/^basic-auth\s*:/i.test(words)) protect(words, rule, rules, warn)
  else if (typeof header === 'string') warn(header, ignored)
  else if (header.name === 'basic-auth') rule.guard = null
  else addChange(header, words.length, rule, warn)
}

function addChange(change: HeaderChange, size: number, rule: Rule, warn: Warn): void {
  rule.size += size
  if (rule.size > mostBytes) warn(`the headers of this path exceed ${mostBytes} bytes`, ignored)
  else rule.changes.push(change)
}

/**
 * Never fails open: what is meant to be protected and cannot be is closed to everybody. Warnings do not repeat the
 * passwords.
 */
function protect(words: string, rule: Rule, rules: Rule[], warn: Warn): void {
  rule.guard ??= new Credentials()
  const pairs = words.length > limits.lineLength ? '' : words.slice(words.indexOf(':') + 1)
  const unsound = rule.guard.add(pairs)
  if (unsound > 0) warn(`${unsound} entries of Basic-Auth are not user:password`, 'They are ignored.')
  if (rules.includes(rule)) {
    if (rule.guard.isEmpty) warn('Basic-Auth names no user:password', 'Nobody can open the path.')
    return
  }
  warn('Basic-Auth protects a path that is ignored', 'Nobody can open the site until you correct the path.')
  const lock = { ...rule, from: everything, changes: [], guard: new Credentials() }
  if (!rules.some(({ from, guard }) => from === everything && guard)) rules.push(lock)
}

function compile(rules: Rule[]): HeaderRules {
  const candidates = lookup(rules)
  const guarded = rules
    .filter(({ guard }) => guard !== undefined)
    .map(rule => ({ ...rule, folded: folded(rule) }))
  return {
    isEmpty: rules.length === 0,
    hasGuards: guarded.length > 0,
    looksAtHost: rules.some(({ from }) => from.host !== undefined),
    match(asked) {
      const changes: HeaderChange[] = []
      let size = 0
      for (const { from, changes: own } of candidates(asked)) {
        const values = own.length > 0 && matchSource(from, asked)
        for (const change of values ? own : []) {
          const value = 'value' in change ? fill(change.value, values || {}, encode) : ''
          size += value?.length ?? 0
          if (value === undefined || size > mostBytes) continue
          changes.push('value' in change ? { ...change, value } : change)
        }
      }
      return changes
    },
    guards(asked) {
      const lower = { ...asked, path: asked.path.toLowerCase(), slashed: asked.slashed?.toLowerCase() }
      let found: Credentials[] | null = []
      for (const { from, folded, guard } of guarded)
        if (matchSource(from, asked) || matchSource(folded, lower))
          found = guard ? [...(found ?? []), guard] : null
      return found
    },
  }
}

/** Regardless of case: many server apps take `/Admin` for `/admin`. */
function folded({ from }: Rule): Source {
  const path = readPattern(from.path.written, text => text.toLowerCase())
  return typeof path === 'string' ? from : { ...from, path }
}

/** A path's parts go into header values only where they can do no harm there. */
const encode = (value: string): string => encodeURI(value).replaceAll('%00', '%2F')
