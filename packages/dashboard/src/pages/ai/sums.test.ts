import { describe, expect, test } from 'vitest'
import { byDay, byModel, sumOf } from './sums.ts'

const row = (day: string, model: string, cost_micro_cents: number) => ({
  day,
  model,
  requests: 1,
  prompt_tokens: 10,
  cached_tokens: 0,
  completion_tokens: 2,
  uncounted: 0,
  unpriced: 0,
  cost_micro_cents,
})
const rows = [row('2026-03-01', 'a', 5), row('2026-03-01', 'b', 20), row('2026-03-03', 'a', 7)]

describe('AI usage', () => {
  test('is summed up', () => {
    expect(sumOf(rows)).toMatchObject({ requests: 3, prompt_tokens: 30, cost_micro_cents: 32 })
  })

  test('is listed by model, the dearest first', () => {
    expect(byModel(rows).map(({ model, requests }) => [model, requests])).toEqual([
      ['b', 1],
      ['a', 2],
    ])
  })

  test('has every day of the span, over the end of a month', () => {
    const span = { from: '2026-02-27', to: '2026-03-03' } as Parameters<typeof byDay>[0]
    expect(byDay(span, rows).map(({ day, cost_micro_cents }) => [day, cost_micro_cents])).toEqual([
      ['2026-02-27', 0],
      ['2026-02-28', 0],
      ['2026-03-01', 25],
      ['2026-03-02', 0],
      ['2026-03-03', 7],
    ])
  })
})
