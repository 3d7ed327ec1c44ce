// Where the rows of a long list are, from top to bottom. Rows that were never drawn count with the average height.

/** Until a row has been measured. */
const firstGuess = 22

/** The top of each row in pixels, and as the last entry the height of them all. */
export function offsetsOf(keys: readonly string[], heights: ReadonlyMap<string, number>): number[] {
  let sum = 0
  for (const height of heights.values()) sum += height
  const average = heights.size === 0 ? firstGuess : sum / heights.size
  const offsets = [0]
  let top = 0
  for (const key of keys) {
    top += heights.get(key) ?? average
    offsets.push(top)
  }
  return offsets
}

/** The row at this height: the last one that begins at or above it. */
export function rowAt(offsets: readonly number[], height: number): number {
  let low = 0
  let high = Math.max(0, offsets.length - 2)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (offsets[middle]! <= height) low = middle
    else high = middle - 1
  }
  return low
}
