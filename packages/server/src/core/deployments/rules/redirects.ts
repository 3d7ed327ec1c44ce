// `_redirects`: Netlify's and Cloudflare Pages' rules, one per line, the first match wins.
import { firstMatch } from './first-match.ts'
import { linesOf } from './lines.ts'
import { lookup } from './lookup.ts'
import { apply, isAway, type Redirect, type RedirectRule, readRule } from './redirect-rule.ts'
import type { RequestedUrl } from './source.ts'
import { unreachableRules } from './unreachable.ts'
import { Warnings } from './warnings.ts'

export type { Redirect }

export interface Redirects {
  match(asked: RequestedUrl): Redirect | undefined
  readonly isEmpty: boolean
  /** Whether a rule depends on the query. */
  readonly looksAtQuery: boolean
  /** Whether a rule depends on the host. */
  readonly looksAtHost: boolean
}

const limits = { static: 2_000, dynamic: 100 }

interface RedirectsOptions {
  /** Whether an app answers every path without a file. Then rules can redirect, but cannot show files. */
  isServer: boolean
}

interface ReadRedirects {
  redirects: Redirects
  /** Takes longer than reading the rules, because it compares them with each other. */
  warnings(): string[]
}

export function readRedirects(text: string, options: RedirectsOptions = { isServer: false }): ReadRedirects {
  const rules: RedirectRule[] = []
  const warnings = new Warnings('_redirects')
  const count = { static: 0, dynamic: 0 }
  for (const [index, line] of linesOf(text, warnings).lines.entries()) {
    const words = wordsOf(line)
    if (words.length === 0) continue
    const rule = readRule(words, index + 1)
    const problem =
      typeof rule === 'string' ? rule : (refusal(rule, options) ?? circle(rule) ?? overLimit(rule, count))
    if (problem !== undefined) warnings.add(index + 1, problem, 'The rule is ignored.')
    else rules.push(rule as RedirectRule)
  }
  return {
    redirects: compile(rules),
    warnings() {
      for (const { line, problem } of unreachableRules(rules))
        warnings.add(line, problem, 'It has no effect.')
      return warnings.list
    },
  }
}

/** Words after these are a comment, or make the rule too long. */
const longestLine = 10_000

/** Without a comment at the end. */
function wordsOf(line: string): string[] {
  const words = line.slice(0, longestLine).trim().split(/\s+/).filter(Boolean)
  const comment = words.findIndex(word => word.startsWith('#'))
  return comment < 0 ? words : words.slice(0, comment)
}

function refusal({ status }: RedirectRule, { isServer }: RedirectsOptions): string | undefined {
  if (!isServer || isAway(status)) return undefined
  return `a ${status} is for static sites: in a server deployment the app answers`
}

/** Finds rules that redirect a path to itself. Patterns are not checked. */
function circle(rule: RedirectRule): string | undefined {
  if (!rule.from.isStatic) return undefined
  const asked = { path: rule.from.path.text, query: '', host: '' }
  return apply(rule, {}, asked) === undefined ? 'the rule redirects its path to itself' : undefined
}

function overLimit({ from }: RedirectRule, count: typeof limits): string | undefined {
  const kind = from.isStatic ? 'static' : 'dynamic'
  if (count[kind] >= limits[kind]) return `there are more than ${limits[kind]} ${kind} rules`
  count[kind]++
  return undefined
}

function compile(rules: RedirectRule[]): Redirects {
  const candidates = lookup(rules)
  const deciding = rules.filter(({ force, status }) => force || status === 200)
  return {
    isEmpty: rules.length === 0,
    looksAtQuery: deciding.some(({ query }) => query.length > 0),
    // A rule that redirects to a host is skipped at that host.
    looksAtHost: deciding.some(({ from, to }) => from.host !== undefined || !to.startsWith('/')),
    match: asked => firstMatch(candidates(asked), asked)?.redirect,
  }
}
