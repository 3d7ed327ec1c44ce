// Matches texts, such as the segments of a path or the characters of a name, against a pattern with wildcards. Takes at most
// as many steps for each text as the pattern has parts.

/** Stands for any number of texts, also for none. */
export const any = Symbol('any')

export type Pattern = (typeof any | ((text: string) => boolean))[]

/** A wildcard first takes nothing, and one text more each time the rest does not match. Only the last one needs to. */
export function matches(pattern: Pattern, texts: ArrayLike<string>): boolean {
  let at = 0
  let part = 0
  let wildcard: { part: number; at: number } | undefined
  while (at < texts.length) {
    const expected = pattern[part]
    if (expected === any) wildcard = { part: part++, at }
    else if (expected?.(texts[at] ?? '')) {
      part++
      at++
    } else if (wildcard) {
      part = wildcard.part + 1
      at = ++wildcard.at
    } else return false
  }
  return pattern.slice(part).every(rest => rest === any)
}
