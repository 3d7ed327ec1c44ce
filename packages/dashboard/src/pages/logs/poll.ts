// Asks again and again while the page can be seen.

/** Returns a function that ends it. */
export function pollWhileVisible(look: () => Promise<void>, intervalMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const next = async () => {
    if (document.visibilityState === 'visible') await look()
    if (!isOver) timer = setTimeout(next, intervalMs)
  }
  void next()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
