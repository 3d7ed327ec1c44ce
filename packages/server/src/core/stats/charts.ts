// The charts over time of a project and of the platform: memory, CPU, requests, errors, and how long an app takes to answer.
import type { ChartPoint, ChartRange } from '@svc/contract'
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'
import { chartSums, deleteOldChartPoints, wholePlatform } from '../../store/stats/charts.ts'
import { type ChartCounts, latencyColumns, noChartCounts } from '../../store/stats/rows.ts'
import type { Rows } from '../base/platform.ts'
import { bucketLimitsMs } from '../base/request-counts.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'

/** The length of each range, of the rows that it is made of, and of its points. */
const ranges: Record<ChartRange, { ms: number; stepMs: number; perMs: number }> = {
  '1h': { ms: hourMs, stepMs: minuteMs, perMs: minuteMs },
  '24h': { ms: dayMs, stepMs: minuteMs, perMs: 10 * minuteMs },
  '7d': { ms: 7 * dayMs, stepMs: hourMs, perMs: hourMs },
  '30d': { ms: 30 * dayMs, stepMs: hourMs, perMs: 4 * hourMs },
}

/** How late the last counts of a point may be written. */
const lateMs = 20_000

type Figures = (counts: ChartCounts, perMs: number) => Omit<ChartPoint, 'at'>

export const projectCharts = async (platform: Rows, { id, name }: ProjectScope, range: ChartRange) => ({
  project: name,
  ...(await chart(platform, id, range, ofOneInstance)),
})

export const platformCharts = (platform: Rows, range: ChartRange) =>
  chart(platform, wholePlatform, range, ofAll)

/** Only points that are over: the average of a point needs all of it. */
async function chart({ store, clock }: Rows, owner: string, range: ChartRange, figuresOf: Figures) {
  const { ms, stepMs, perMs } = ranges[range]
  const known = clock.now() - lateMs
  const to = known - (known % perMs)
  const from = to - ms
  const sums = await chartSums(store.aside, owner, { stepMs, perMs, from, to })
  const points = Array.from({ length: ms / perMs }, (_, i) => {
    const at = from + i * perMs
    return { at: isoTime(at), ...figuresOf(sums.get(at) ?? noChartCounts, perMs) }
  })
  return { range, from: isoTime(from), to: isoTime(to), step_seconds: perMs / 1000, points }
}

/** Of a project: what one instance of its app uses while it runs, which its limits are about. */
const ofOneInstance: Figures = (counts, perMs) => {
  const { cpu_ms, memory_kb_s, running_ms } = counts
  return {
    ...ofRequests(counts),
    instances: average(running_ms / perMs),
    cpu_cores: running_ms === 0 ? null : average(cpu_ms / running_ms),
    memory_bytes: running_ms === 0 ? null : memoryBytes(memory_kb_s, running_ms),
  }
}

/** Of the platform: what svcd and all apps use together. */
const ofAll: Figures = (counts, perMs) => {
  const { cpu_ms, memory_kb_s, running_ms } = counts
  return {
    ...ofRequests(counts),
    instances: average(running_ms / perMs),
    cpu_cores: memory_kb_s === 0 ? null : average(cpu_ms / perMs),
    memory_bytes: memory_kb_s === 0 ? null : memoryBytes(memory_kb_s, perMs),
  }
}

const ofRequests = (counts: ChartCounts) => ({
  requests: counts.requests,
  errors: counts.errors,
  p95_ms: quantile(
    latencyColumns.map(column => counts[column]),
    0.95,
  ),
})

const average = (value: number): number => Math.round(value * 1000) / 1000

const memoryBytes = (kbSeconds: number, ms: number): number => Math.round((kbSeconds * 1024 * 1000) / ms)

/**
 * The time below which that share of the answers lies, taken as spread evenly in their bucket. Of answers above the highest
 * limit only that is known, so it is the highest value. Null without answers.
 */
function quantile(buckets: readonly number[], share: number): number | null {
  let left = share * buckets.reduce((sum, count) => sum + count, 0)
  if (left === 0) return null
  for (const [i, count] of buckets.entries()) {
    const [low, high] = [bucketLimitsMs[i - 1] ?? 0, bucketLimitsMs[i] ?? bucketLimitsMs.at(-1)!]
    if (left <= count) return Math.round((low + (high - low) * (left / count)) * 10) / 10
    left -= count
  }
  return bucketLimitsMs.at(-1)!
}

/** A point of the longest range begins up to one point before it, and the sweep runs every minute. */
const spareMs = 5 * hourMs

export async function forgetOldCharts({ store, clock }: Rows): Promise<void> {
  const now = clock.now()
  for (const stepMs of [minuteMs, hourMs]) {
    const longest = Math.max(...Object.values(ranges).map(range => (range.stepMs === stepMs ? range.ms : 0)))
    await deleteOldChartPoints(store.db, stepMs, now - longest - spareMs)
  }
}
