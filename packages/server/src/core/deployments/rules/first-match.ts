// Finds the rule of `_redirects` that applies to a request: the first that matches, in the order of the file.
import { apply, parametersOf, type Redirect, type RedirectRule, valuesOf } from './redirect-rule.ts'
import { matchSource, type RequestedUrl } from './source.ts'

interface Match {
  rule: RedirectRule
  redirect: Redirect
}

/** The first rule that applies, and its result. */
export function firstMatch(candidates: Iterable<RedirectRule>, asked: RequestedUrl): Match | undefined {
  let otherwise: Match | undefined
  let known: Map<string, string> | undefined
  const parameters = () => {
    known ??= parametersOf(asked.query)
    return known
  }
  for (const rule of candidates) {
    const values = valuesOf(rule, asked, parameters)
    const redirect = values && apply(rule, values, asked)
    if (redirect !== undefined) return { rule, redirect }
    if (!rule.isQueryOptional || rule.force || otherwise !== undefined) continue
    // Cloudflare ignores a query in the path of a rule. Here such a rule applies if no other rule does.
    const without = matchSource(rule.from, asked)
    const lenient = without && apply(rule, without, asked)
    if (lenient !== undefined) otherwise = { rule, redirect: lenient }
  }
  return otherwise
}
