// The compressed forms of a cached body. Each is made when the first client asks for it, and kept with the cache entry. The
// entry itself stays as the app sent it: it answers clients without compression and requests for ranges, too, and the app gets
// its own ETag back when the entry is renewed.
import type { Coding } from '../../core/deployments/archive/variants.ts'
import { compressWhole } from '../compression/compress-whole.ts'
import { isCompressible, isLongEnough } from '../compression/compressible-answers.ts'

const largestBytes = 1024 * 1024

/** Returns how much memory the forms of a body may take, in bytes. It counts for the cache from the beginning. */
export function roomForForms(status: number, headers: readonly string[], bodyBytes: number): number {
  if (bodyBytes > largestBytes || !isLongEnough(bodyBytes) || !isCompressible(status, headers)) return 0
  return Math.floor(bodyBytes / 2)
}

/** A form that was made. `undefined`: the body does not become much smaller, and is sent as it is. */
type Form = Buffer | undefined

export class CompressedForms {
  readonly #body: Buffer
  readonly #made = new Map<Coding, Form>()
  readonly #underWay = new Map<Coding, Promise<Form>>()
  #room: number

  constructor(body: Buffer, room: number) {
    this.#body = body
    this.#room = room
  }

  /** Whether there is memory for forms of this body at all. */
  get isOffered(): boolean {
    return this.#room > 0 || this.#made.size > 0
  }

  /** Returns the form, or a promise of it if it has to be made. Requests for the same form share the work. */
  get(coding: Coding): Form | Promise<Form> {
    if (this.#made.has(coding)) return this.#made.get(coding)
    let making = this.#underWay.get(coding)
    if (making === undefined) {
      making = this.#make(coding).finally(() => this.#underWay.delete(coding))
      this.#underWay.set(coding, making)
    }
    return making
  }

  async #make(coding: Coding): Promise<Form> {
    // Compressing fails only if memory is short.
    const form = await compressWhole[coding](this.#body).catch(() => undefined)
    const isKept = form !== undefined && form.length <= this.#room
    const kept = isKept ? ownMemory(form) : undefined
    this.#room -= kept?.length ?? 0
    this.#made.set(coding, kept)
    return kept
  }
}

/** A view of a larger block would keep the whole block in memory. */
function ownMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
