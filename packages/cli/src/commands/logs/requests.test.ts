import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const path = 'GET /projects/blog/requests'

/** The n-th request, n seconds after ten. */
const request = (n: number, change = {}) => ({
  id: `r${n}`,
  at: `2026-11-15T10:00:0${n}.000Z`,
  method: 'GET',
  host: 'blog.example',
  path: `/${n}`,
  status: 200,
  ms: 12,
  bytes: 2048,
  cache: 'MISS',
  deployment_id: null,
  request_id: null,
  count: 1,
  ...change,
})

const page = (requests: unknown[], more = {}) => ({
  body: { requests, next_cursor: null, sampled: false, ...more },
})

async function run(args: string[], scripts: Parameters<typeof standIn>[0]) {
  const api = await standIn(scripts)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return await svc(['logs', '--requests', ...args, '--project', 'blog'], { env })
}

describe('svc logs --requests', () => {
  it('prints the latest requests, the newest last, without commands for the terminal', async () => {
    const result = await run([], {
      [`${path}?limit=100`]: page([request(2, { path: '/\x1b[2J', status: 404, count: 3 }), request(1)]),
    })
    expect(result).toEqual({
      code: 0,
      stdout: [
        '2026-11-15T10:00:01.000Z  200  GET      12 ms       2 KB  MISS    blog.example/1',
        '2026-11-15T10:00:02.000Z  404  GET      12 ms       2 KB  MISS    blog.example/  ×3',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it('reads as many pages as --tail needs, and says if it is a sample', async () => {
    const { stdout, stderr } = await run(['--tail', '101', '--since', '1794736800'], {
      [`${path}?limit=100&since=1794736800`]: page([request(3), request(2)], {
        next_cursor: 'c',
        sampled: true,
      }),
      [`${path}?limit=99&cursor=c&since=1794736800`]: page([request(1)]),
    })
    expect(stdout.match(/blog\.example\/\d/g)).toEqual(['blog.example/1', 'blog.example/2', 'blog.example/3'])
    expect(stderr).toBe('This is a sample: there were more requests than the log keeps.\n')
  })

  it('prints JSON', async () => {
    const { stdout } = await run(['--json'], { [`${path}?limit=100`]: page([request(1)]) })
    expect(JSON.parse(stdout)).toEqual({ requests: [request(1)], sampled: false })
  })

  it('says on stderr that there are none', async () => {
    const result = await run([], { [`${path}?limit=100`]: page([]) })
    expect(result).toMatchObject({ code: 0, stdout: '' })
    expect(result.stderr).toContain('No requests yet.')
  })

  it('follows: every request is printed once, also one that comes late, and through a restart', async () => {
    const { code, stdout } = await run(['-f', '--json'], {
      [`${path}?limit=100`]: page([request(2)]),
      [`${path}?limit=100&since=1794736792.000`]: [
        refusal('unavailable', 'Restarting.', 503),
        page([request(3), request(2), request(1)]),
      ],
      [`${path}?limit=100&since=1794736793.000`]: [refusal('not_found', 'Gone.', 404)],
    })
    const ids = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).id)
    expect([code, ids]).toEqual([1, ['r2', 'r1', 'r3']])
  })
})
