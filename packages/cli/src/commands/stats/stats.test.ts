import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const hour = (at: number, requests: number) => ({
  hour: `2026-01-02T0${at}:00:00.000Z`,
  requests,
  bytes: 0,
  cache_hits: 0,
})

const stats = {
  project: 'blog',
  from: '2026-01-02T01:00:00.000Z',
  to: '2026-01-02T03:04:05.678Z',
  totals: { requests: 1210, bytes: 5_000_000, cache_hits: 1000 },
  status: { '2xx': 1100, '3xx': 90, '4xx': 15, '5xx': 5, other: 0 },
  cache: { HIT: 1000, MISS: 210 },
  hostnames: [
    { hostname: 'blog.example.com', requests: 1200, bytes: 4_900_000 },
    { hostname: 'www.example.org', requests: 10, bytes: 100_000 },
  ],
  timeline: [hour(1, 1200), hour(2, 0), hour(3, 10)],
  top_paths: [{ path: '/\u001b[31mred', requests: 1210, bytes: 5_000_000 }],
  top_countries: [
    { country: 'NL', requests: 1209 },
    { country: 'XX', requests: 1 },
  ],
  truncated: false,
}

async function run(args: string[], body: unknown, hours = 24) {
  const api = await standIn({ [`GET /projects/blog/stats?hours=${hours}`]: { body } })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['stats', ...args, '--project', 'blog'], { env }) }
}

describe('svc stats', () => {
  it('shows totals, a bar for each hour, hosts, paths and countries', async () => {
    const { result } = await run(['--hours', '3'], stats, 3)
    expect(result.stderr).toBe('')
    expect(result.stdout.split('\n')).toEqual([
      'Requests   1,210 (83% from cache)',
      'Bandwidth  4.8 MB',
      'Errors     20 (4xx 15, 5xx 5)',
      '',
      'Requests per hour (UTC)',
      `2026-01-02 01:00  1,200  ${'█'.repeat(30)}`,
      '2026-01-02 02:00      0',
      '2026-01-02 03:00     10  ▎',
      '',
      'Hostnames',
      'blog.example.com  1,200  4.7 MB',
      'www.example.org      10  97.7 KB',
      '',
      'Top paths',
      '/red  1,210  4.8 MB',
      '',
      'Countries',
      'NL Netherlands  1,209',
      'unknown             1',
      '',
    ])
  })

  it('marks a busy window', async () => {
    const { result } = await run([], { ...stats, truncated: true })
    expect(result.stdout).toContain('Requests   1,210 [sampled] (83% from cache)\n')
  })

  it('says so when there were no requests', async () => {
    const none = { ...stats, totals: { requests: 0, bytes: 0, cache_hits: 0 } }
    const { result } = await run([], none)
    expect(result).toEqual({ code: 0, stdout: 'No requests to blog in the last 24 hours.\n', stderr: '' })
    expect((await run(['--hours', '1'], none, 1)).result.stdout).toBe(
      'No requests to blog in the last 1 hour.\n',
    )
  })

  it("prints the API's answer as JSON", async () => {
    const { result } = await run(['--json'], stats)
    expect(JSON.parse(result.stdout)).toEqual(stats)
  })

  it.each(['0', '73', '1.5', 'all'])('refuses a window of %s hours, and asks nothing', async hours => {
    const { api, result } = await run(['--hours', hours], stats)
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: --hours must be a whole number from 1 to 72.\n',
    })
    expect(api.calls).toEqual([])
  })

  it('passes on that there are no stats', async () => {
    const api = await standIn({
      'GET /projects/blog/stats?hours=24': refusal('stats_unavailable', 'Switched off.', 503),
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['stats', '--project', 'blog'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Switched off. (stats_unavailable)\n',
    })
  })
})
