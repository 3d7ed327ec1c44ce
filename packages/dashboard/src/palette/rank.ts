// Orders entries by how well they match what was typed: the start of the name, the start of a word, a part, then letters
// in this order.

/** Smaller is better. `undefined` if it does not match. */
export function rankOf(text: string, typed: string): number | undefined {
  const [name, query] = [text.toLowerCase(), typed.trim().toLowerCase()]
  if (query === '') return 0
  if (name === query) return 0
  if (name.startsWith(query)) return 1
  const at = name.indexOf(query)
  if (at > 0) return /[\s\-_./]/.test(name[at - 1] ?? '') ? 2 : 3
  return hasLettersInOrder(name, query) ? 4 : undefined
}

function hasLettersInOrder(name: string, query: string): boolean {
  let from = 0
  for (const letter of query) {
    if (letter === ' ') continue
    const at = name.indexOf(letter, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}

/** The best matches first; equal ones keep their order. */
export function bestOf<T>(entries: readonly T[], textsOf: (entry: T) => string[], typed: string): T[] {
  return entries
    .flatMap(entry => {
      const ranks = textsOf(entry).flatMap(text => rankOf(text, typed) ?? [])
      return ranks.length === 0 ? [] : { entry, rank: Math.min(...ranks) }
    })
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry)
}
