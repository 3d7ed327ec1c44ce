// Work that is not waited for any longer than it may take.

/** Rejects with these words where it takes longer; the work itself goes on, and nobody hears of it. */
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
