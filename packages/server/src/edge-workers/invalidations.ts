// Keys of cached answers that visitors' requests made worthless, told to the other processes of this node. Visitors can
// send such requests as fast as they like: those of a few milliseconds go in one message.
import type { Change } from '../ports/changes/port.ts'

const batchMs = 5

export function batchInvalidations(tell: (changes: Change[]) => unknown): (key: string) => void {
  const keys = new Set<string>()
  const flush = () => {
    const changes = [...keys].map(key => ({ topic: 'cache', key }) as const)
    keys.clear()
    tell(changes)
  }
  return key => {
    if (keys.size === 0) setTimeout(flush, batchMs).unref()
    keys.add(key)
  }
}
