// Finds what a mistyped word was probably meant to be.

/** Returns the nearest candidate: at most one typing mistake away for a short word, two for a longer one. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const tolerance = word.length <= 3 ? 1 : 2
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distance(word, candidate) }))
    .filter(({ distance }) => distance <= tolerance)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate ?? candidates.find(candidate => word.length >= 3 && candidate.startsWith(word))
}

/** The edit distance: how many insertions, deletions, replacements and swaps of neighbours separate two words. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
