// Rules of `_redirects` that can never apply: an earlier rule always answers first, or they lead back to where they start.
import { firstMatch } from './first-match.ts'
import { lookup } from './lookup.ts'
import { unlikely } from './pattern.ts'
import { apply, parametersOf, type RedirectRule, valuesOf } from './redirect-rule.ts'
import type { RequestedUrl } from './source.ts'

interface Unreachable {
  line: number
  problem: string
}

/** Samples in place of `*`: a rule that matches all of them matches every value of `*`. */
const stars = ['', unlikely, [unlikely, unlikely, unlikely].join('/')]

/** How many characters are compared at most. A file that is made to be slow is checked only in part. */
const comparisonsAtMost = 20_000_000

export function unreachableRules(rules: readonly RedirectRule[]): Unreachable[] {
  const unconditional = rules.filter(({ query, from }) => query.length === 0 && from.host === undefined)
  const always = lookup(unconditional)
  const dynamic = unconditional.filter(({ from }) => !from.isStatic).length
  let compared = 0
  return rules.flatMap(rule => {
    const samples = samplesOf(rule)
    const { line } = rule
    compared += samples.reduce((sum, { path }) => sum + path.length * dynamic, 0)
    if (compared > comparisonsAtMost) return []
    if (samples.every(asked => isLoop(rule, asked)))
      return [{ line, problem: 'the rule redirects every path to itself' }]
    const earlier = samples.map(asked => firstLine(always, asked) ?? line)
    if (!earlier.every(other => other < line)) return []
    return [{ line, problem: `the rule never applies: line ${Math.min(...earlier)} matches its paths first` }]
  })
}

/** The line that applies to a request at any host. A rule that redirects to a host is skipped at that host. */
function firstLine(
  always: (asked: RequestedUrl) => Iterable<RedirectRule>,
  asked: RequestedUrl,
): number | undefined {
  const first = firstMatch(always(asked), asked)
  const host = /^https?:\/\/([^/?#:]+)/i.exec(first?.redirect.to ?? '')?.[1]
  if (host === undefined || asked.host !== '') return first?.rule.line
  return firstLine(always, { ...asked, host: host.toLowerCase() })
}

/** Requests that the rule matches. */
function samplesOf({ from, query }: RedirectRule): RequestedUrl[] {
  const search = new URLSearchParams()
  for (const [name, value] of query) search.append(name, value.startsWith(':') ? unlikely : value)
  const asked = { query: query.length === 0 ? '' : `?${search}`, host: '' }
  return from.path.stars === 0
    ? [{ ...asked, path: from.path.sample('') }]
    : stars.map(star => ({ ...asked, path: from.path.sample(star) }))
}

function isLoop(rule: RedirectRule, asked: RequestedUrl): boolean {
  const hostless = { ...rule, from: { ...rule.from, host: undefined } }
  const values = valuesOf(hostless, asked, () => parametersOf(asked.query))
  return values !== undefined && apply(hostless, values, asked) === undefined
}
