// Waits until a stream takes more.
import type { Writable } from 'node:stream'

/** Resolves when the reader has read what was written, or has left. */
export const drained = (stream: Writable): Promise<void> =>
  new Promise(resolve => {
    if (stream.closed) return resolve()
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
