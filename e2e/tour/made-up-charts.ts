// Charts of a busy app, for the tour: a new platform has measured only its first minutes.
import type { ChartPoint, Charts } from '@svc/contract'
import type { Page } from 'playwright-core'

const points = 60
const start = Date.UTC(2026, 10, 15, 12)

/** A wave that repeats `times` times, from 0 to 1. */
const wave = (i: number, times: number): number => (1 + Math.sin((i / points) * times * 2 * Math.PI)) / 2

const pointAt = (i: number): ChartPoint => ({
  at: new Date(start + i * 60_000).toISOString(),
  requests: Math.round(400 + 900 * wave(i, 2)),
  errors: i % 17 === 0 ? i % 5 : 0,
  p95_ms: Math.round(80 + 60 * wave(i, 5)),
  instances: 1,
  cpu_cores: 0.1 + 0.4 * wave(i, 2),
  memory_bytes: Math.round((90 + 40 * wave(i, 1)) * 1024 ** 2),
})

const charts: Charts = {
  range: '1h',
  from: pointAt(0).at,
  to: pointAt(points).at,
  step_seconds: 60,
  points: Array.from({ length: points }, (_, i) => pointAt(i)),
}

export async function showBusyCharts(page: Page): Promise<void> {
  await page.route(/\/(stats|admin)\/charts/, route => route.fulfill({ json: charts }))
  await page.reload()
  await page.getByRole('img', { name: 'Memory' }).waitFor()
}
