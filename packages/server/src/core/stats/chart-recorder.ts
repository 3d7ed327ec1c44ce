// Collects what charts over time show, and adds it to the rows of the minute and of the hour now and then.
import { hourMs, minuteMs } from '@svc/contract/durations'
import { addChartPoints, wholePlatform } from '../../store/stats/charts.ts'
import { type ChartCounts, chartColumns, latencyColumns, noChartCounts } from '../../store/stats/rows.ts'
import type { Store } from '../../store/store.ts'
import type { ChartPointRow } from '../../store/tables.ts'
import { bucketLimitsMs } from '../base/request-counts.ts'
import type { Access } from './access.ts'
import { cacheHits } from './request-metrics.ts'

/** Long enough that a busy platform writes few rows, short enough that a chart follows what happens. */
const writeAfterMs = 5_000
/** Rows that may wait while the database does not answer. Further counts are dropped. */
const waitingAtMost = 50_000

type LatencyColumn = (typeof latencyColumns)[number]

/** What something used in a span of time. */
interface Use {
  from: number
  to: number
  memoryBytes: number
  cpuSeconds: number
}

export class ChartRecorder {
  readonly #store: Pick<Store, 'transact'>
  readonly #onError: (error: unknown) => void
  #rows = new Map<string, ChartPointRow>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(store: Pick<Store, 'transact'>, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  /** Of the answers that an app made itself, the time counts, too. */
  add({ projectId, at, status, times, source, cache, ms }: Access): void {
    const isOfApp = source === 'app' && ms !== undefined && !(cache !== undefined && cacheHits.has(cache))
    const latency = isOfApp ? latencyOf(ms) : undefined
    this.#count(projectId, at, row => {
      row.requests += times
      if (status >= 500) row.errors += times
      if (latency) row[latency] += times
    })
  }

  /** What an instance of the project's app used. */
  addUse(projectId: string, use: Use): void {
    this.#spread(use, (at, ms, share) =>
      this.#count(projectId, at, row => {
        row.running_ms += ms
        addShare(row, use, ms, share)
      }),
    )
  }

  /** What svcd used itself. */
  addOwnUse(use: Use): void {
    this.#spread(use, (at, ms, share) =>
      this.#countIn(wholePlatform, at, row => addShare(row, use, ms, share)),
    )
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#write()
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** Cuts a span at the minutes. `share` is the part of the span that is in the minute. */
  #spread({ from, to }: Use, each: (at: number, ms: number, share: number) => void): void {
    for (let at = from; at < to; ) {
      const end = Math.min(to, at - (at % minuteMs) + minuteMs)
      each(at, end - at, (end - at) / (to - from))
      at = end
    }
  }

  #count(projectId: string, at: number, change: (row: ChartPointRow) => void): void {
    this.#countIn(projectId, at, change)
    this.#countIn(wholePlatform, at, change)
  }

  #countIn(owner: string, at: number, change: (row: ChartPointRow) => void): void {
    if (this.#closed) return
    for (const step_ms of [minuteMs, hourMs]) {
      const row = this.#row({ owner, step_ms, at: at - (at % step_ms) })
      if (row) change(row)
    }
    this.#timer ??= setTimeout(() => void this.#write(), writeAfterMs).unref()
  }

  #row(key: Pick<ChartPointRow, 'owner' | 'step_ms' | 'at'>): ChartPointRow | undefined {
    const name = `${key.owner} ${key.step_ms} ${key.at}`
    const known = this.#rows.get(name)
    if (known || this.#rows.size >= waitingAtMost) return known
    const row = { ...noChartCounts, ...key }
    this.#rows.set(name, row)
    return row
  }

  async #write(): Promise<void> {
    this.#timer = undefined
    const rows = [...this.#rows.values()]
    if (rows.length === 0) return
    this.#rows = new Map()
    try {
      const whole = rows.map(row => ({ ...row, ...rounded(row) }))
      await this.#store.transact(tx => addChartPoints(tx, whole))
    } catch (error) {
      this.#onError(error)
      this.#addBack(rows)
    }
  }

  #addBack(rows: readonly ChartPointRow[]): void {
    for (const { owner, step_ms, at, ...counts } of rows) {
      const row = this.#row({ owner, step_ms, at })
      if (row) for (const column of chartColumns) row[column] += counts[column]
    }
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#write(), writeAfterMs).unref()
  }
}

const latencyOf = (ms: number): LatencyColumn => {
  const within = bucketLimitsMs.findIndex(limit => ms <= limit)
  return latencyColumns[within] ?? 'slower'
}

function addShare(row: ChartPointRow, { memoryBytes, cpuSeconds }: Use, ms: number, share: number): void {
  row.cpu_ms += cpuSeconds * 1000 * share
  row.memory_kb_s += (memoryBytes / 1024) * (ms / 1000)
}

const rounded = (row: ChartCounts): ChartCounts =>
  Object.fromEntries(chartColumns.map(column => [column, Math.round(row[column])])) as ChartCounts
