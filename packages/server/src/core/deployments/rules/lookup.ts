// Finds the rules of a file that may match a request, in the order of the file.
import { withoutSlash } from './pattern.ts'
import type { RequestedUrl, Source } from './source.ts'

interface Rule {
  line: number
  from: Source
}

/** Plain paths are found in a map, so their number does not matter. Patterns, which are few, are tried in order. */
export function lookup<R extends Rule>(rules: readonly R[]): (asked: RequestedUrl) => Generator<R> {
  const plain = new Map<string, R[]>()
  const dynamic = rules.filter(({ from }) => !from.isStatic)
  for (const rule of rules) {
    if (!rule.from.isStatic) continue
    const same = plain.get(rule.from.path.text)
    if (same === undefined) plain.set(rule.from.path.text, [rule])
    else same.push(rule)
  }
  const find = (path: string) => plain.get(withoutSlash(path)) ?? []
  return ({ path, slashed }) =>
    slashed === undefined
      ? inOrder(find(path), dynamic)
      : inOrder(
          [...find(slashed), ...find(path)].sort((a, b) => a.line - b.line),
          dynamic,
        )
}

/** Merges two lists that are in the order of the file. */
function* inOrder<R extends Rule>(some: R[], others: R[]): Generator<R> {
  let at = 0
  for (const rule of some) {
    while (at < others.length && others[at]!.line < rule.line) yield others[at++]!
    yield rule
  }
  while (at < others.length) yield others[at++]!
}
