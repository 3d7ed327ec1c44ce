import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const entry = (n: number, changes: object = {}) => ({
  at: `2026-01-02T03:${String(n).padStart(2, '0')}:05.678Z`,
  actor: 'ada',
  action: 'member.role',
  target: 'bob',
  ip: '192.0.2.1',
  details: { from: 'admin', to: 'member' },
  ...changes,
})
const pages = {
  'GET /orgs/acme/audit?limit=100': { body: { entries: [entry(9), entry(8)], next_cursor: 'two' } },
  'GET /orgs/acme/audit?cursor=two&limit=100': { body: { entries: [entry(7)], next_cursor: null } },
}

describe('svc org audit', () => {
  it('shows the whole log, or as much as was asked for', async () => {
    const api = await standIn({
      ...pages,
      'GET /orgs/acme/audit?limit=1': { body: { entries: [entry(9)], next_cursor: 'more' } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const line = (n: number) =>
      `2026-01-02 03:0${n}  ada  member.role  bob  192.0.2.1  from=admin to=member\n`
    expect((await svc(['org', 'audit', 'acme'], { env })).stdout).toBe(line(9) + line(8) + line(7))
    expect((await svc(['org', 'audit', 'acme', '1'], { env })).stdout).toBe(line(9))
    const { stdout } = await svc(['org', 'audit', 'acme', '--json'], { env })
    expect(JSON.parse(stdout)).toEqual({ entries: [entry(9), entry(8), entry(7)], next_cursor: null })
    expect((await svc(['org', 'audit', 'acme', '0'], { env })).stderr).toBe(
      "svc: The count must be a whole number, not '0'.\n",
    )
  })

  it('--export writes what the API sends', async () => {
    const lines = '{"action":"org.create"}\n{"action":"member.join"}\n'
    const api = await standIn({
      'GET /orgs/acme/audit/export': (_, response) =>
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines),
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect((await svc(['org', 'audit', 'acme', '--export'], { env })).stdout).toBe(lines)
  })
})

describe('svc audit', () => {
  it('is about the linked project', async () => {
    const api = await standIn({
      'GET /projects/blog/audit?limit=100': { body: { entries: [], next_cursor: null } },
    })
    const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}' })
    const result = await svc(['audit'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(result).toEqual({ code: 0, stdout: 'Nothing has happened yet.\n', stderr: '' })
  })
})
