// Unpacks uploads in a thread of their own, a few at a time.
import type { BrokenOff, Unpack, Unpacked } from '../core/base/uploads.ts'
import type { PacksSettings } from '../ports/packs/open.ts'
import { programFile } from '../program-files.ts'
import { type BodyEnd, type Pace, sendBody } from './body-channel.ts'
import { Thread, workerThread } from './thread.ts'
import { type SlotBounds, UploadSlots } from './upload-slots.ts'

export interface UnpackArgs {
  id: string
  body: BodyEnd
  sources: readonly string[]
}

export interface Unpacker {
  unpack: Unpack
  close(): Promise<void>
}

interface UnpackerOptions {
  pace?: Pace
  slots?: Partial<SlotBounds>
}

export function createUnpacker(packs: PacksSettings, options: UnpackerOptions = {}): Unpacker {
  const entry = programFile('threads/unpack-thread.js')
  const slots = new UploadSlots(options.slots)
  const thread = new Thread<UnpackArgs, Unpacked | BrokenOff>({
    start: () => workerThread(entry, packs),
    concurrency: slots.inAll,
  })
  return {
    async unpack(id, body, owner, sources = []) {
      const sending = sendBody(body, options.pace)
      const { end } = sending
      const unpacked = await slots
        .run(owner, sending, () => thread.call({ id, body: end, sources }, { transfer: [end.port] }))
        .finally(sending.stop)
      // Padding may follow the archive. Read it, because the sender waits for that.
      body.resume()
      return unpacked
    },
    close: () => thread.close(),
  }
}
