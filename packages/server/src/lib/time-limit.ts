// Waits for a promise up to a time limit.

/** Rejects with `words` if the work takes longer. The work itself continues, and its result is ignored. */
export async function withTimeLimit<T>(work: Promise<T>, ms: number, words = 'timed out'): Promise<T> {
  let limit: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error(words)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(limit)
  }
}
