// Enforces the sizes of disks: measures those that running apps write to, and ends apps whose disk holds more than its size. A disk
// is measured as soon as the file system has lost as much space as the disk may still take, so that it cannot grow far beyond.
import type { AppDisks } from '../ports/app-disks/port.ts'
import { changeDisk, findDiskById } from '../store/disk/disks.ts'
import type { Store } from '../store/store.ts'

interface Measured {
  takenBytes: number
  freeBytes: number
  at: number
  tookMs: number
}

const atMostEveryMs = 1_000
/** While others free as much space as the disk takes, the file system shows no growth. */
const usuallyEveryMs = 10_000
const atLeastEveryMs = 60_000
/** A measurement reads the whole disk, so it takes at most a twentieth of the time. */
const restsPerMeasurement = 20

export class DiskSizes {
  readonly #parts: { store: Store; disks: AppDisks; clock: { now(): number } }
  readonly #onError: (error: unknown) => void
  readonly #last = new Map<string, Measured>()
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(
    parts: { store: Store; disks: AppDisks; clock: { now(): number } },
    onError: (error: unknown) => void,
  ) {
    this.#parts = parts
    this.#onError = onError
  }

  /** Measures what is due. `writing` are the disks that apps write to now, each with what ends the app. */
  async look(writing: ReadonlyMap<string, () => void>): Promise<void> {
    for (const id of this.#last.keys()) if (!writing.has(id)) this.#last.delete(id)
    if (writing.size === 0) return
    const freeBytes = await this.#parts.disks.freeBytes()
    for (const [id, end] of writing) {
      if (this.#underWay.has(id)) continue
      const measuring = this.#measureIfDue(id, freeBytes, end)
        .catch(this.#onError)
        .finally(() => this.#underWay.delete(id))
      this.#underWay.set(id, measuring)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  async #measureIfDue(id: string, freeBytes: number, end: () => void): Promise<void> {
    const { store, disks, clock } = this.#parts
    const last = this.#last.get(id)
    const row = (await findDiskById(store.db, id)).rows[0]
    if (!row) return
    const now = performance.now()
    const size = Number(row.size_bytes)
    if (last) {
      const mayHaveGrown = last.freeBytes - freeBytes >= (size - last.takenBytes) / 2
      const restMs = Math.max(usuallyEveryMs, restsPerMeasurement * last.tookMs)
      if (now - last.at < (mayHaveGrown ? atMostEveryMs : Math.min(restMs, atLeastEveryMs))) return
    }
    const { usedBytes, unlinkedBytes } = await disks.measure(id)
    const takenBytes = usedBytes + unlinkedBytes
    const at = performance.now()
    this.#last.set(id, { takenBytes, freeBytes, at, tookMs: at - now })
    await changeDisk(store.db, id, { used_bytes: usedBytes, measured_at: clock.now() })
    // Deleted files go with the app, so it may start again.
    if (takenBytes > size) end()
  }
}
