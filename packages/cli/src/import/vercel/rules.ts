// Translates `redirects`, `rewrites` and `headers` of Vercel into lines of `_redirects` and blocks of `_headers`.
import type { Findings } from '../findings.ts'
import { patternsOf } from '../rules/pattern.ts'
import { fillTarget, type HeaderBlock, redirectLine } from '../rules/rule-lines.ts'
import { type Piece, Untranslatable } from '../rules/source-pieces.ts'
import { attempt, headerOf, placeOf, requireText } from '../rules/translate.ts'
import { type Fields, fieldsOf, listOf } from '../untrusted.ts'
import { readConditions } from './conditions.ts'
import { readSource, type Source } from './source.ts'

/** On Vercel redirects come before files, so they are forced here. */
export function redirectLines(file: string, redirects: unknown, findings: Findings): string[] {
  return listOf(redirects).flatMap((item, i) => {
    const rule = fieldsOf(item)
    return attempt(findings, placeOf(file, 'redirects', i, rule.source), () => redirect(rule))
  })
}

function redirect(rule: Fields): string[] {
  const source = requireText(rule, 'source')
  const status =
    typeof rule.permanent === 'boolean'
      ? rule.permanent
        ? 308
        : 307
      : rule.statusCode === undefined
        ? 308
        : Number(rule.statusCode)
  return linesOf(rule, readSource(source), { to: requireText(rule, 'destination'), status, force: true })
}

/** Rewrites come after files. */
export function rewriteLines(file: string, rewrites: unknown, findings: Findings): string[] {
  const list = isPhased(rewrites) ? Object.values(rewrites).flatMap(listOf) : listOf(rewrites)
  return list.flatMap((item, i) => {
    const rule = fieldsOf(item)
    const isLast = i === list.length - 1
    return attempt(findings, placeOf(file, 'rewrites', i, rule.source), () => rewrite(rule, isLast))
  })
}

const isPhased = (rewrites: unknown): rewrites is Fields =>
  !Array.isArray(rewrites) && typeof rewrites === 'object' && rewrites !== null

function rewrite(rule: Fields, isLast: boolean): string[] {
  const to = requireText(rule, 'destination')
  const source = readSource(requireText(rule, 'source'))
  if (source.excluded.length > 0 && !isLast)
    throw new Untranslatable('a source that leaves paths out can only be written for the last rewrite')
  const target = { to, status: rule.statusCode === undefined ? 200 : Number(rule.statusCode), force: false }
  return [...source.excluded.flatMap(showWhatIsThere), ...linesOf(rule, { ...source, excluded: [] }, target)]
}

/** A rule that excludes paths with a prefix from later rules. At such a path only files are served. */
function showWhatIsThere(prefix: string): string[] {
  const pieces: Piece[] = [
    { kind: 'text', text: prefix },
    { kind: 'any', name: 'rest' },
  ]
  return patternsOf([{ pieces, values: new Map() }]).map(from =>
    redirectLine({ from, to: from.path.replace(/\*$/, ':splat'), status: 200, force: false }),
  )
}

interface Target {
  to: string
  status: number
  force: boolean
}

export function linesOf(rule: Fields, source: Source, { to, status, force }: Target): string[] {
  if (source.excluded.length > 0) throw new Untranslatable('a source that leaves paths out cannot be written')
  if (/[\\{}]/.test(to)) throw new Untranslatable('its target has characters that need escaping')
  const { host, query, names } = readConditions(rule)
  const own = names.map((name): [string, string] => [name, `:${name}`])
  return patternsOf(source.variants).map(from => {
    const values = new Map([...from.values, ...own])
    const filled = fillTarget(to, values, source.names).replace(/(?<!:)\/{2,}/g, '/')
    return redirectLine({ host, from, query, to: filled, status, force })
  })
}

/** On Vercel the last rule that sets a header wins. Here the values are joined, unless a rule removes the header first. */
export function headerBlocks(file: string, headers: unknown, findings: Findings): HeaderBlock[] {
  const seen = new Set<string>()
  return listOf(headers).flatMap((item, i) => {
    const rule = fieldsOf(item)
    const where = placeOf(file, 'headers', i, rule.source)
    return attempt(findings, where, () => {
      const blocks = headerRule(rule, where, findings, new Set(seen))
      for (const block of blocks) for (const [name] of block.headers) seen.add(name.toLowerCase())
      return blocks
    })
  })
}

function headerRule(
  rule: Fields,
  where: string,
  findings: Findings,
  seen: ReadonlySet<string>,
): HeaderBlock[] {
  const source = readSource(requireText(rule, 'source'))
  if (source.excluded.length > 0) throw new Untranslatable('a source that leaves paths out cannot be written')
  const { host, query } = readConditions(rule)
  if (query.length > 0) throw new Untranslatable('headers cannot depend on the query')
  const all = listOf(rule.headers).flatMap(item => headerOf(fieldsOf(item), where, findings))
  const headers = [...new Map(all.map(header => [header[0].toLowerCase(), header])).values()]
  if (headers.length === 0) return []
  const removals = headers
    .filter(([name]) => seen.has(name.toLowerCase()))
    .map(([name]): [string, undefined] => [name, undefined])
  return patternsOf(source.variants).map(({ path }) => ({
    path: host === undefined ? path : `https://${host}${path}`,
    headers: [...removals, ...headers],
  }))
}
