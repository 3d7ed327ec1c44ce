// Translates `[[redirects]]` and `[[headers]]` of netlify.toml. The syntax of paths is that of our own files.
import type { Findings } from '../findings.ts'
import { type HeaderBlock, redirectLine } from '../rules/rule-lines.ts'
import { Untranslatable } from '../rules/source-pieces.ts'
import { attempt, headerOf, placeOf } from '../rules/translate.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf, textsOf } from '../untrusted.ts'

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

/** What decides by the visitor has no counterpart: to leave it out would send everybody there. */
function refuseConditions(rule: Fields): void {
  const conditions = Object.keys(fieldsOf(rule.conditions))
  if (conditions.length > 0)
    throw new Untranslatable(`the condition ${conditions.join(', ')} has no counterpart`)
  if (rule.signed !== undefined || rule.sign !== undefined)
    throw new Untranslatable("'signed' has no counterpart")
  if (isFields(rule.headers) && Object.keys(rule.headers).length > 0)
    throw new Untranslatable("'headers' are for a proxy, and this platform proxies no other site")
}

/** Netlify takes a placeholder and `*` for whole segments only, and `*` at the end. */
function refusePath(path: string): void {
  if (!path.startsWith('/')) throw new Untranslatable('its path does not begin with /')
  if (path.includes('?')) throw new Untranslatable("a query belongs into 'query', not into the path")
  if ((path.match(/\*/g) ?? []).length > 1) throw new Untranslatable('a path can have one wildcard only')
}

const encodePath = (path: string): string => path.replace(/[\s#]/g, encodeURIComponent)

export function netlifyHeaders(headers: unknown, findings: Findings): HeaderBlock[] {
  return listOf(headers).flatMap((item, i) => {
    const rule = fieldsOf(item)
    const path = textOf(rule.for)
    const where = placeOf(file, 'headers', i, path)
    return attempt(findings, where, () => {
      if (path === undefined || !path.startsWith('/')) throw new Untranslatable("its 'for' is not a path")
      const set = Object.entries(fieldsOf(rule.values)).flatMap(([key, value]) =>
        // Several values of a header are joined by commas.
        headerOf(
          {
            key,
            value:
              textsOf(value)
                .map(text => text.trim())
                .join(', ') || String(value),
          },
          where,
          findings,
        ),
      )
      return set.length === 0 ? [] : [{ path: path.replace(/\s#/g, '%20%23'), headers: set }]
    })
  })
}
