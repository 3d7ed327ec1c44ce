// Translates `[[redirects]]` and `[[headers]]` of netlify.toml. The syntax of paths is that of our own files.
import type { Findings } from '../findings.ts'
import { type HeaderBlock, redirectLine } from '../rules/rule-lines.ts'
import { Untranslatable } from '../rules/source-pieces.ts'
import { attempt, headerOf, placeOf } from '../rules/translate.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../untrusted.ts'

const file = 'netlify.toml'

export function netlifyRedirects(redirects: unknown, findings: Findings): string[] {
  return listOf(redirects).flatMap((item, i) => {
    const rule = fieldsOf(item)
    return attempt(findings, placeOf(file, 'redirects', i, rule.from ?? rule.origin), () => [redirect(rule)])
  })
}

function redirect(rule: Fields): string {
  const from = textOf(rule.from) ?? textOf(rule.origin)
  if (from === undefined) throw new Untranslatable("it has no 'from'")
  const to = textOf(rule.to) ?? textOf(rule.destination) ?? from.replace(/\*$/, ':splat')
  refuseConditions(rule)
  const [, host, path = ''] = /^https?:\/\/([^/]+)(\/.*)?$/i.exec(from) ?? [undefined, undefined, from]
  if (host !== undefined && !/^[\p{L}\p{N}.:-]+$/u.test(host))
    throw new Untranslatable('its host is not the name of a host')
  refusePath(path || '/')
  if (/^\/\.netlify\//.test(to))
    throw new Untranslatable('it leads to a function or a service of Netlify, and none runs here')
  const query = Object.entries(fieldsOf(rule.query ?? rule.params ?? rule.parameters)).map(
    ([name, value]): [string, string] => [name, String(value)],
  )
  const status = rule.status === undefined ? 301 : Number(rule.status)
  return redirectLine({
    host,
    from: { path: encodePath(path || '/'), values: new Map() },
    query,
    to,
    status,
    force: rule.force === true,
  })
}

/** Refuses conditions on the visitor. svc has none, and without its condition the rule would apply to every visitor. */
function refuseConditions(rule: Fields): void {
  const conditions = Object.keys(fieldsOf(rule.conditions))
  if (conditions.length > 0)
    throw new Untranslatable(`the condition ${conditions.join(', ')} has no counterpart`)
  if (rule.signed !== undefined || rule.sign !== undefined)
    throw new Untranslatable("'signed' has no counterpart")
  if (isFields(rule.headers) && Object.keys(rule.headers).length > 0)
    throw new Untranslatable("'headers' are for a proxy, and this platform proxies no other site")
}

/** Netlify's syntax is that of our own files. Refuses what our files do not support. */
function refusePath(path: string): void {
  if (!path.startsWith('/')) throw new Untranslatable('its path does not begin with /')
  if (path.includes('?')) throw new Untranslatable("a query belongs into 'query', not into the path")
  const placeholders: string[] = path.match(/:[A-Za-z]\w*/g) ?? []
  const stars = path.split('*').length - 1
  if (stars > 1) throw new Untranslatable('a path can have one wildcard only')
  if (new Set(placeholders).size < placeholders.length)
    throw new Untranslatable('a placeholder is used twice')
  if (stars > 0 && placeholders.includes(':splat'))
    throw new Untranslatable(':splat stands for * and cannot be used beside it')
}

/** Spaces and line breaks would end the path. */
const encodePath = (path: string): string => path.replace(/[\s#\p{Cc}]/gu, encodeURIComponent)

export function netlifyHeaders(headers: unknown, findings: Findings): HeaderBlock[] {
  return listOf(headers).flatMap((item, i) => {
    const rule = fieldsOf(item)
    const path = textOf(rule.for)
    const where = placeOf(file, 'headers', i, path)
    return attempt(findings, where, () => {
      if (path === undefined) throw new Untranslatable("its 'for' is not a path")
      // Headers may have any number of wildcards, but not together with placeholders.
      refusePath(path.includes(':') ? path : path.replaceAll('*', '-'))
      const set = Object.entries(fieldsOf(rule.values)).flatMap(([key, value]) =>
        headerOf({ key, value: joinedValues(value) }, where, findings),
      )
      return set.length === 0 ? [] : [{ path: encodePath(path), headers: set }]
    })
  })
}

/** Several values of a header are joined by commas. */
const joinedValues = (value: unknown): string =>
  (Array.isArray(value) ? value : [value])
    .filter(part => ['string', 'number', 'boolean'].includes(typeof part))
    .map(part => String(part).trim())
    .join(', ')
