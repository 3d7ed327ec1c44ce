// The scrub: reads all stored packs slowly, one after the other, and compares every file with its checksum. It goes on where it was
// interrupted. On its way it deletes packs without a record.
import { minuteMs } from '@svc/contract/durations'
import { inBatches } from '../../lib/in-batches.ts'
import { Throttle } from '../../lib/throttle.ts'
import type { Packs } from '../../ports/packs/port.ts'
import { damageOf } from '../../ports/packs/verify.ts'
import { storedAmong } from '../../store/deployments/stored.ts'
import {
  claimScrub,
  endScrub,
  recordDamage,
  recordProgress,
  releaseScrub,
} from '../../store/platform/scrubs.ts'
import type { ScrubRow } from '../../store/tables.ts'
import type { Rows } from '../base/platform.ts'
import { deploymentOf, ownsStorage } from './recovery.ts'

/** What one scrub reads. */
export interface ScrubPlace {
  id: string
  packs: Packs
  /** Only for copies: replaces a damaged one. Returns false if there is nothing to copy. */
  fetchAgain?: (id: string) => Promise<boolean>
}

interface ScrubOptions {
  /** The process that reads, and its machine. */
  holder: string
  host: string
  /** How long a whole reading is good for. */
  goodForMs: number
  /** 0 reads nothing, and only deletes packs without a record. */
  bytesPerSecond: number
  signal: AbortSignal
  onDamage: (found: { place: string; pack: string; damage: string; repaired: boolean }) => void
}

const batch = 100
/** Opening a pack takes a while, too. */
const bytesOfOpening = 64 * 1024
const heldMs = 5 * minuteMs
const recordEveryMs = 10_000

/** Returns false if there is nothing to read now, or another process does it. */
export async function scrub(platform: Rows, place: ScrubPlace, options: ScrubOptions): Promise<boolean> {
  const { store, clock } = platform
  const { holder, host, goodForMs } = options
  const now = clock.now()
  const claim = { place: place.id, holder, host, now, until: now + heldMs, endedBefore: now - goodForMs }
  const row = await claimScrub(store.db, claim)
  if (!row) return false
  try {
    await new Reading(platform, place, options, row).run()
    await endScrub(store.db, row, clock.now())
  } finally {
    await releaseScrub(store.db, row)
  }
  return true
}

class Reading {
  readonly #platform: Rows
  readonly #place: ScrubPlace
  readonly #options: ScrubOptions
  readonly #row: ScrubRow
  readonly #throttle: Throttle
  readonly #progress: { read_to: string; packs: number; bytes: number; repaired: number }
  #recordedAt: number

  constructor(platform: Rows, place: ScrubPlace, options: ScrubOptions, row: ScrubRow) {
    this.#platform = platform
    this.#place = place
    this.#options = options
    this.#row = row
    this.#throttle = new Throttle(options.bytesPerSecond || 1, options.signal)
    const { read_to, packs, bytes, repaired } = row
    this.#progress = { read_to, packs: Number(packs), bytes: Number(bytes), repaired: Number(repaired) }
    this.#recordedAt = platform.clock.now()
  }

  async run(): Promise<void> {
    const { store } = this.#platform
    const { packs, fetchAgain } = this.#place
    const mayDelete = fetchAgain !== undefined || (await ownsStorage({ store, packs }))
    try {
      for await (const ids of inBatches(this.#unread(), batch)) {
        const kept = await storedAmong(store.db, [...new Set(ids.map(deploymentOf))])
        for (const id of ids) {
          this.#options.signal.throwIfAborted()
          if (kept.has(deploymentOf(id))) await this.#check(id)
          else if (mayDelete) await packs.delete(id)
          this.#progress.read_to = id
        }
      }
    } finally {
      await this.#record()
    }
  }

  async *#unread(): AsyncGenerator<string> {
    for await (const id of this.#place.packs.list()) if (id > this.#progress.read_to) yield id
  }

  async #check(id: string): Promise<void> {
    if (this.#options.bytesPerSecond === 0) return
    const source = await this.#place.packs.open(id)
    // Deleted since it was listed.
    if (!source) return
    await this.#spend(bytesOfOpening)
    const damage = await damageOf(source, bytes => this.#spend(bytes)).finally(() => source.close())
    this.#progress.packs++
    this.#progress.bytes += source.size
    if (damage !== undefined) await this.#handle(id, damage)
  }

  async #handle(id: string, damage: string): Promise<void> {
    const { store, clock } = this.#platform
    const repaired = (await this.#place.fetchAgain?.(id)) ?? false
    if (repaired) this.#progress.repaired++
    else await recordDamage(store.db, { place: this.#place.id, pack_id: id, damage, found_at: clock.now() })
    this.#options.onDamage({ place: this.#place.id, pack: id, damage, repaired })
  }

  async #spend(bytes: number): Promise<void> {
    await this.#throttle.spend(bytes)
    if (Math.abs(this.#platform.clock.now() - this.#recordedAt) >= recordEveryMs) await this.#record()
  }

  async #record(): Promise<void> {
    const { store, clock } = this.#platform
    this.#recordedAt = clock.now()
    const times = { seen_at: this.#recordedAt, held_until: this.#recordedAt + heldMs }
    if (!(await recordProgress(store.db, this.#row, { ...this.#progress, ...times })))
      throw new Error(`Another process goes on with the scrub of ${this.#place.id}.`)
  }
}
