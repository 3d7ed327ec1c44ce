// Unpacks uploads in a thread of their own, a few at a time.
import type { Unpack, Unpacked } from '../core/archive/unpack.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import { type BodyEnd, sendBody } from './body-channel.ts'
import { Thread } from './thread.ts'

export interface UnpackArgs {
  id: string
  body: BodyEnd
}

export interface Unpacker {
  unpack: Unpack
  close(): Promise<void>
}

/** Enough that a few slow senders do not hold up the others; each takes 2 to 10 MB of memory. */
const concurrency = 8

/** The patience is that with senders who stop in the middle, in milliseconds. */
export function createUnpacker(packs: PacksSettings, patience?: number): Unpacker {
  const entry = new URL('./unpack-thread.js', import.meta.url)
  const thread = new Thread<UnpackArgs, Unpacked>({ entry, data: packs, concurrency })
  return {
    async unpack(id, body) {
      const { end, stop } = sendBody(body, patience)
      const unpacked = await thread.call({ id, body: end }, { transfer: [end.port] }).finally(stop)
      // Padding may follow the archive; its sender waits until somebody takes it.
      body.resume()
      return unpacked
    },
    close: () => thread.close(),
  }
}
