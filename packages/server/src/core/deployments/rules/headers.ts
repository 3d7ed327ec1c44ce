// `_headers`: response headers by path, in Netlify's and Cloudflare Pages' syntax. Every matching rule applies.
import { type Credentials, mentionsPassword } from './basic-auth.ts'
import type { HeaderChange } from './header-line.ts'
import { HeaderReader, type HeaderRule, mostBytes } from './header-reader.ts'
import { linesOf } from './lines.ts'
import { lookup } from './lookup.ts'
import { fill, readPattern } from './pattern.ts'
import { matchSource, type RequestedUrl, type Source } from './source.ts'

export type { HeaderChange }

export interface HeaderRules {
  /** In file order. */
  match(asked: RequestedUrl): HeaderChange[]
  /** What protects a path. Each of these must accept the visitor's password. `null` if a rule removes the protection. */
  guards(asked: RequestedUrl): Credentials[] | null
  readonly isEmpty: boolean
  /** Whether any path is protected by a password. */
  readonly hasGuards: boolean
  /** Whether a rule depends on the host. */
  readonly looksAtHost: boolean
}

/** `hidesPassword`: the file continues after `text`, and mentions Basic-Auth there. */
export function readHeaders(
  text: string,
  { hidesPassword = false } = {},
): { headers: HeaderRules; warnings: string[] } {
  const reader = new HeaderReader()
  const { lines, unread } = linesOf(text, reader.warnings)
  for (const line of lines) reader.read(line)
  if (hidesPassword || mentionsPassword(unread)) reader.lockForUnread()
  const rules = reader.rules.filter(({ changes, guard }) => changes.length > 0 || guard !== undefined)
  return { headers: compile(rules), warnings: reader.warnings.list }
}

function compile(rules: HeaderRule[]): HeaderRules {
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
function folded({ from }: HeaderRule): Source {
  const path = readPattern(from.path.written, text => text.toLowerCase())
  return typeof path === 'string' ? from : { ...from, path }
}

/** Parts of a path are inserted into header values only if they are safe there. */
const encode = (value: string): string => encodeURI(value).replaceAll('%00', '%2F')
