// The line of a log that the page's URL points to, as in `#L12`.
import { useSyncExternalStore } from 'react'

export function useLinkedLine(): number | undefined {
  const hash = useSyncExternalStore(onChange, () => location.hash)
  const number = Number(/^#L(\d{1,7})$/.exec(hash)?.[1])
  return Number.isNaN(number) ? undefined : number
}

function onChange(callback: () => void): () => void {
  addEventListener('hashchange', callback)
  return () => removeEventListener('hashchange', callback)
}
