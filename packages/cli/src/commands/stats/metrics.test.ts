import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const point = (change: object) => ({
  at: '2026-01-02T01:00:00.000Z',
  ...{ requests: 0, errors: 0, p95_ms: null, instances: 0, cpu_cores: null, memory_bytes: null },
  ...change,
})

const charts = {
  project: 'blog',
  range: '1h',
  from: '2026-01-02T01:00:00.000Z',
  to: '2026-01-02T02:00:00.000Z',
  step_seconds: 60,
  points: [
    point({ requests: 1_000, p95_ms: 80, cpu_cores: 0.5, memory_bytes: 50 * 1024 ** 2 }),
    point({ requests: 500, p95_ms: 40, cpu_cores: 0.25, memory_bytes: 100 * 1024 ** 2 }),
    point({}),
  ],
}

async function run(args: string[], body: unknown, range = '1h') {
  const api = await standIn({ [`GET /projects/blog/stats/charts?range=${range}`]: { body } })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['metrics', ...args, '--project', 'blog'], { env }) }
}

describe('svc metrics', () => {
  it('shows each figure with its highest value or sum, and leaves out what there was not', async () => {
    const { result } = await run([], charts)
    expect(result.stderr).toBe('')
    expect(result.stdout.split('\n')).toEqual([
      '2026-01-02 01:00 to 2026-01-02 02:00 (UTC)',
      'Requests  1,500                 █▅▁',
      'p95       up to 80 ms           █▅',
      'Memory    up to 100 MB          ▅█',
      'CPU       up to 50 % of a core  █▅',
      '',
    ])
  })

  it('joins points where there are more than columns', async () => {
    const points = Array.from({ length: 180 }, (_, i) => point({ requests: i === 179 ? 8 : 0 }))
    const { result } = await run(['--range', '30d'], { ...charts, points }, '30d')
    expect(result.stdout).toContain(`Requests  8  ${'▁'.repeat(59)}█\n`)
  })

  it('says so when nothing happened', async () => {
    const { result } = await run([], { ...charts, points: [point({})] })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('No requests to blog in the last 1h')
  })

  it("prints the API's answer as JSON", async () => {
    expect(JSON.parse((await run(['--json'], charts)).result.stdout)).toEqual(charts)
  })

  it('refuses another range, and asks nothing', async () => {
    const { api, result } = await run(['--range', '2h'], charts)
    expect(result).toMatchObject({ code: 1, stderr: "svc: --range must be 1h, 24h, 7d or 30d, not '2h'.\n" })
    expect(api.calls).toEqual([])
  })
})
