// Counts the usage of the AI gateway. Counts are collected in memory and written together within a second. A crash loses at
// most that second.

import type { Clock } from '../../lib/clock.ts'
import { addAiCost, addAiUsage, existingTokens, modelsSince } from '../../store/ai/ai.ts'
import { deleteReservations } from '../../store/ai/reservations.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { AiUsageRow } from '../../store/tables.ts'
import type { AiUsage, AiUse } from '../base/parts.ts'
import { dayOf, monthOf } from '../base/periods.ts'

const writeAfterMs = 1_000
/** How many rows are written at once. Ten times as many are kept while the database does not answer. */
const waitingAtMost = 1_000
const keptAtMost = 10 * waitingAtMost
/** How many model names one owner may use in a month. Clients choose the names, so further ones count as `otherModels`. */
const modelsAtMost = 100
const otherModels = 'other'

export class AiUsageRecorder implements AiUsage {
  readonly #store: Store
  readonly #clock: Clock
  #waiting = new Map<string, AiUsageRow>()
  /** Reservations of requests that have ended, and their owners. They end with the rows that say what the requests cost. */
  #released = new Map<string, string>()
  #underWay: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** Called when rows could not be written, with the number of rows lost. */
  onError: (error: unknown, lost: number) => void = () => undefined

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  note({ ownerId, tokenId, model, ...counts }: AiUse): void {
    const day = dayOf(this.#clock.now())
    add(this.#waiting, { owner_id: ownerId, token_id: tokenId, day, model, requests: 1, ...counts })
    this.#wake()
  }

  release(ownerId: string, reservation: string): void {
    this.#released.set(reservation, ownerId)
    this.#wake()
  }

  async writeOf(ownerId: string): Promise<void> {
    while (this.#underWay) await this.#underWay.catch(() => undefined)
    const hasWaiting = [...this.#waiting.values()].some(({ owner_id }) => owner_id === ownerId)
    if (hasWaiting || [...this.#released.values()].includes(ownerId)) await this.write()
  }

  /** Reports call this first, so that they include the latest usage. */
  async write(): Promise<void> {
    while (this.#underWay) await this.#underWay.catch(() => undefined)
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.size + this.#released.size === 0) return
    this.#underWay = this.#writeWaiting().finally(() => {
      this.#underWay = undefined
    })
    await this.#underWay
  }

  async close(): Promise<void> {
    await this.#writeQuietly()
  }

  async #writeWaiting(): Promise<void> {
    const rows = this.#waiting
    const released = this.#released
    this.#waiting = new Map()
    this.#released = new Map()
    try {
      await this.#store.transact(async tx => {
        await writeRows(tx, [...rows.values()])
        await deleteReservations(tx, [...released.keys()])
      })
    } catch (error) {
      // The rows wait for the next attempt. If there are too many, they are dropped.
      const lost = rows.size + this.#waiting.size > keptAtMost ? rows.size : 0
      if (lost === 0) for (const row of rows.values()) add(this.#waiting, row)
      // Those that are dropped expire.
      if (released.size + this.#released.size <= keptAtMost)
        for (const [id, owner] of released) this.#released.set(id, owner)
      this.onError(error, lost)
      throw error
    }
  }

  #wake(): void {
    if (this.#waiting.size + this.#released.size >= waitingAtMost) void this.#writeQuietly()
    else this.#timer ??= setTimeout(() => void this.#writeQuietly(), writeAfterMs).unref()
  }

  async #writeQuietly(): Promise<void> {
    await this.write().catch(() => undefined) // `write` has called `onError`.
    if (this.#waiting.size + this.#released.size > 0)
      this.#timer ??= setTimeout(() => void this.#writeQuietly(), writeAfterMs).unref()
  }
}

function add(rows: Map<string, AiUsageRow>, row: AiUsageRow): void {
  const key = `${row.token_id} ${row.day} ${row.model}`
  const known = rows.get(key)
  if (known === undefined) return void rows.set(key, { ...row })
  known.requests += row.requests
  known.uncounted += row.uncounted
  known.unpriced += row.unpriced
  known.prompt_tokens += row.prompt_tokens
  known.cached_tokens += row.cached_tokens
  known.completion_tokens += row.completion_tokens
  known.cost += row.cost
}

/** Rows are written in the order of their keys, so that two nodes cannot deadlock. */
async function writeRows(tx: Tx, rows: AiUsageRow[]): Promise<void> {
  if (rows.length === 0) return
  const there = await existingTokens(tx, [...new Set(rows.map(row => row.token_id))])
  const names = new Map<string, Set<string>>()
  const named = new Map<string, AiUsageRow>()
  for (const row of rows.filter(({ token_id }) => there.has(token_id))) {
    const month = monthOf(row.day).start
    const list = `${row.owner_id} ${month}`
    const known = names.get(list) ?? (await modelsSince(tx, row.owner_id, month))
    names.set(list, known)
    if (known.size < modelsAtMost) known.add(row.model)
    add(named, known.has(row.model) ? row : { ...row, model: otherModels })
  }
  const keys = [...named.keys()].sort()
  for (const key of keys) await addAiUsage(tx, named.get(key)!)
  for (const [list, cost] of [...costsByMonth(named.values())].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [owner_id = '', month] = list.split(' ')
    await addAiCost(tx, { owner_id, month: Number(month), cost })
  }
}

function costsByMonth(rows: Iterable<AiUsageRow>): Map<string, number> {
  const costs = new Map<string, number>()
  for (const { owner_id, day, cost } of rows) {
    const key = `${owner_id} ${monthOf(day).start}`
    costs.set(key, (costs.get(key) ?? 0) + cost)
  }
  return costs
}
