// AI usage summed up by model and by day.

import type { AiUsageByDay } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'

type Row = AiUsageByDay['rows'][number]
type Sums = Omit<Row, 'day' | 'model'>

const noUsage: Sums = {
  requests: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  uncounted: 0,
  unpriced: 0,
  cost_micro_cents: 0,
}

export function sumOf(rows: readonly Row[]): Sums {
  const sums = { ...noUsage }
  for (const row of rows) for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += row[name]
  return sums
}

/** Sums by model, the most expensive first. Models with the same cost are sorted by requests. */
export function byModel(rows: readonly Row[]): (Sums & { model: string })[] {
  const models = [...new Set(rows.map(({ model }) => model))]
  return models
    .map(model => ({ model, ...sumOf(rows.filter(row => row.model === model)) }))
    .sort((a, b) => b.cost_micro_cents - a.cost_micro_cents || b.requests - a.requests)
}

/** Sums by day, with days without usage. */
export function byDay({ from, to }: AiUsageByDay, rows: readonly Row[]): (Sums & { day: string })[] {
  const days: (Sums & { day: string })[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10)
    days.push({ day, ...sumOf(rows.filter(row => row.day === day)) })
  }
  return days
}
