// The older `routes` of Vercel, also in `.vercel/output/config.json`: regular expressions, tried in order.
import type { Findings } from '../findings.ts'
import { patternsOf } from '../rules/pattern.ts'
import type { HeaderBlock } from '../rules/rule-lines.ts'
import { Untranslatable } from '../rules/source-pieces.ts'
import { attempt, headerOf, placeOf, requireText } from '../rules/translate.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../untrusted.ts'
import { linesOf } from './rules.ts'
import { readExpression } from './source.ts'

interface TranslatedRoutes {
  redirects: string[]
  headers: HeaderBlock[]
}

export function translateRoutes(file: string, routes: unknown, findings: Findings): TranslatedRoutes {
  const translated: TranslatedRoutes = { redirects: [], headers: [] }
  // Routes before `handle: filesystem` win over files.
  let force = true
  for (const [i, item] of listOf(routes).entries()) {
    const route = fieldsOf(item)
    if (route.handle === 'filesystem') force = false
    else if (route.handle !== undefined) {
      findings.warn(file, `routes: everything after 'handle: ${String(route.handle)}' is left out.`)
      break
    } else {
      const where = placeOf(file, 'routes', i, route.src)
      translated.headers.push(...attempt(findings, where, () => headersOf(route, where, findings)))
      translated.redirects.push(...attempt(findings, where, () => redirectsOf(route, force)))
    }
  }
  return translated
}

/** Headers of a route that goes on to the next one. */
function headersOf(route: Fields, where: string, findings: Findings): HeaderBlock[] {
  if (!isFields(route.headers) || locationOf(route) !== undefined) return []
  refuseConditions(route)
  const headers = Object.entries(route.headers).flatMap(([key, value]) =>
    headerOf({ key, value }, where, findings),
  )
  return patternsOf(readExpression(requireText(route, 'src')).variants).map(({ path }) => ({ path, headers }))
}

function redirectsOf(route: Fields, force: boolean): string[] {
  const location = locationOf(route)
  const to = location ?? textOf(route.dest)
  if (to === undefined || route.continue === true) return []
  refuseConditions(route)
  const status = route.status === undefined ? (location === undefined ? 200 : 308) : Number(route.status)
  if (location === undefined && /^\/?(?:api\/|_vercel\/)|\.(?:[jt]s|py|go|rb|php)$/.test(to))
    throw new Untranslatable('it leads to a function, and none runs here')
  const target = { to: /^(?:\/|https?:)/.test(to) ? to : `/${to}`, status, force }
  return linesOf({}, readExpression(requireText(route, 'src')), target)
}

function locationOf({ headers }: Fields): string | undefined {
  const [, location] =
    Object.entries(fieldsOf(headers)).find(([name]) => name.toLowerCase() === 'location') ?? []
  return textOf(location)
}

function refuseConditions(route: Fields): void {
  const condition = ['methods', 'has', 'missing', 'locale', 'middlewarePath', 'check'].find(
    key => route[key] !== undefined,
  )
  if (condition !== undefined && !(condition === 'check' && route.check === true))
    throw new Untranslatable(`'${condition}' has no counterpart`)
}
