// The charts over time of a project and of the platform.
import { expect, test } from 'vitest'
import { useDashboard } from './dashboard.ts'
import { nameless } from './sanity.ts'

const dashboard = useDashboard()

const point = (minute: number, change: object = {}) => ({
  at: new Date(Date.UTC(2026, 10, 15, 12, minute)).toISOString(),
  ...{ requests: 0, errors: 0, p95_ms: null, instances: 0, cpu_cores: null, memory_bytes: null },
  ...change,
})

const busy = { requests: 12, errors: 1, p95_ms: 80, cpu_cores: 0.25, memory_bytes: 64 * 1024 ** 2 }

const chartsOf = (points: object[]) => ({
  json: { range: '1h', from: point(0).at, to: point(60).at, step_seconds: 60, points },
})

test('a project without requests says what will be here, and a busy one has a chart with a table for each figure', async () => {
  const owner = await dashboard.platform.owner()
  const project = await dashboard.platform.project(owner, 'hello')
  const page = await dashboard.openAs(owner, `/projects/${project.name}/metrics?range=24h`)
  await page.getByRole('heading', { name: 'Nothing happened in the last 24 hours' }).waitFor()

  const asked: string[] = []
  await page.route(/\/stats\/charts/, route => {
    asked.push(new URL(route.request().url()).search)
    return route.fulfill(chartsOf([point(0), point(1, busy), point(2)]))
  })
  await page.getByRole('navigation', { name: 'Time range' }).getByRole('link', { name: '7 days' }).click()
  for (const [title, value] of [
    ['Memory', '64 MB'],
    ['CPU (of a core)', '25%'],
    ['Answer time (p95)', '80 ms'],
    ['Requests', '12'],
    ['Errors', '1'],
  ] as const) {
    const rows = page.getByRole('table', { name: title }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(4)
    expect(await rows.nth(2).textContent()).toContain(value)
  }
  expect(await page.getByRole('table', { name: 'Memory' }).getByRole('row').nth(1).textContent()).toContain(
    'none',
  )
  expect(asked).toContain('?range=7d')
  expect(await page.evaluate(nameless)).toEqual([])
})

test('a site of files has no chart of memory', async () => {
  const owner = await dashboard.platform.owner()
  const project = await dashboard.platform.project(owner, 'hello')
  const page = await dashboard.openAs(owner, `/projects/${project.name}`)
  await page.route(/\/stats\/charts/, route => route.fulfill(chartsOf([point(0, { requests: 3 })])))
  await page.getByRole('link', { name: 'Metrics' }).click()
  await page.getByRole('table', { name: 'Requests' }).waitFor({ state: 'attached' })
  expect(await page.getByRole('figure').count()).toBe(2)
})
