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

  it('shows one request by its id', async () => {
    const { stdout } = await run(['--request', 'req_1'], {
      [`${path}?limit=100&request=req_1`]: page([request(1)]),
    })
    expect(stdout).toContain('blog.example/1')
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

  it('passes on the status, path, method, host and deployment that requests must have', async () => {
    const args = ['--status', '5XX', '--path', 'api', '--method', 'post', '--host', 'www.example.com']
    const query = 'deployment=dep_a&status=5xx&path=%2Fapi&method=POST&host=www.example.com'
    const { code, stdout } = await run([...args, '--deployment', 'dep_a', '--since', '1794736800'], {
      [`${path}?limit=100&since=1794736800&${query}`]: page([request(1)]),
    })
    expect([code, stdout]).toEqual([0, expect.stringContaining('blog.example/1')])
  })

  it('goes on with the same filter when it follows', async () => {
    const { stdout } = await run(['-f', '--status', '404'], {
      [`${path}?limit=100&status=404`]: [page([]), page([request(1)])],
      [`${path}?limit=100&since=1794736791.000&status=404`]: [refusal('not_found', 'Gone.', 404)],
    })
    expect(stdout).toContain('blog.example/1')
  })

  it('says on stderr that none matches', async () => {
    const result = await run(['--status', '404'], { [`${path}?limit=100&status=404`]: page([]) })
    expect(result).toEqual({ code: 0, stdout: '', stderr: 'No request matches. The log keeps three days.\n' })
  })

  it.each([
    [['--requests', '--status', '6xx'], '--status takes a class such as 5xx, or a status such as 404.'],
    [['--requests', '--status', '40'], '--status takes a class such as 5xx, or a status such as 404.'],
    [['--requests', '--method', 'G T'], '--method takes an HTTP method such as GET.'],
    [['--status', '404'], '--status is for the requests. Add --requests.'],
    [['--host', 'a.example', '--path', '/'], '--path is for the requests. Add --requests.'],
  ])('refuses %j before it asks the platform', async (args, message) => {
    const env = { SVC_API_URL: 'http://127.0.0.1:1', SVC_TOKEN: token }
    const result = await svc(['logs', ...args, '--project', 'blog'], { env })
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: `svc: ${message}\n` })
  })

  it('describes and completes --status as a filter of requests, not of deployments', async () => {
    const { stdout } = await svc(['help', 'logs'])
    expect(stdout).toContain('Only this status or class: 404, 5xx')
    expect((await svc(['help', 'deployments'])).stdout).toContain('live, superseded, branch')
    expect((await svc(['__complete', 'logs', '--status', ''])).stdout).toBe('2xx\n3xx\n4xx\n5xx\n')
    expect((await svc(['__complete', 'deployments', '--status', ''])).stdout).toContain('superseded')
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
