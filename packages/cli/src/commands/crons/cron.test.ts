import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const id = 'cron_0123456789abcdef'
const cron = {
  id,
  schedule: '0 9 * * 1',
  path: '/api/report',
  method: 'GET',
  enabled: true,
  created_at: '2026-01-02T03:04:05.678Z',
  last_run_at: null,
  last_status: null,
  next_run_at: '2026-01-05T09:00:00.000Z',
}
const run1 = { started_at: '2026-01-05T09:00:00.123Z', duration_ms: 42, status: 200, error: null }
const failed = { ...run1, status: null, error: 'There was no answer within 60 seconds.' }

async function run(args: string[], answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['cron', ...args, '--project', 'blog'], { env }) }
}

describe('svc cron', () => {
  it('lists jobs: id, schedule, path, method, state, last run', async () => {
    const other = { ...cron, method: 'POST', enabled: false, last_run_at: run1.started_at, last_status: 500 }
    const body = { crons: [cron, other], verification_secret: 's3cret' }
    const { result } = await run(['list'], { 'GET /projects/blog/crons': { body } })
    expect(result).toEqual({
      code: 0,
      stdout: `${id}  0 9 * * 1  /api/report  GET   enabled   never\n${id}  0 9 * * 1  /api/report  POST  disabled  2026-01-05 09:00 (500)\n`,
      stderr: '',
    })
    const json = await run(['ls', '--json'], { 'GET /projects/blog/crons': { body } })
    expect(JSON.parse(json.result.stdout)).toEqual(body)
  })

  it('says how to add the first one', async () => {
    const body = { crons: [], verification_secret: 's3cret' }
    const { result } = await run(['list'], { 'GET /projects/blog/crons': { body } })
    expect(result.stdout).toBe(`No scheduled jobs yet. 'svc cron add "0 9 * * 1" /path' adds one.\n`)
  })

  it.each([
    [[], undefined],
    [['--method', 'POST'], 'POST'],
  ])('adds one %j', async (more, method) => {
    const { api, result } = await run(['add', '0 9 * * 1', '/api/report', ...more], {
      'POST /projects/blog/crons': { status: 201, body: cron },
    })
    expect(result).toEqual({
      code: 0,
      stdout: `Added ${id}: GET /api/report at 0 9 * * 1.\nAt 09:00 UTC, on Monday. First run 2026-01-05 09:00 UTC.\n`,
      stderr: '',
    })
    const sent = JSON.parse(api.calls[0]!.body.toString())
    expect(sent).toEqual({ schedule: '0 9 * * 1', path: '/api/report', ...(method && { method }) })
  })

  it('passes on what is wrong with a schedule', async () => {
    const { result } = await run(['add', '61 * * * *', '/'], {
      'POST /projects/blog/crons': refusal('invalid_request', 'schedule: no.'),
    })
    expect(result).toEqual({ code: 1, stdout: '', stderr: 'svc: schedule: no. (invalid_request)\n' })
  })

  it('enables, disables and deletes', async () => {
    const path = `PATCH /projects/blog/crons/${id}`
    const on = await run(['enable', id], { [path]: { body: cron } })
    expect(on.result.stdout).toBe(`Enabled ${id}. Next run 2026-01-05 09:00 UTC.\n`)
    expect(JSON.parse(on.api.calls[0]!.body.toString())).toEqual({ enabled: true })
    const off = await run(['disable', id], { [path]: { body: { ...cron, next_run_at: null } } })
    expect(off.result.stdout).toBe(`Disabled ${id}.\n`)
    const gone = await run(['rm', id], { [`DELETE /projects/blog/crons/${id}`]: { body: { ok: true } } })
    expect(gone.result.stdout).toBe(`Deleted ${id}.\n`)
  })

  it('changes the schedule, the path or the method, and leaves out what stays', async () => {
    const path = `PATCH /projects/blog/crons/${id}`
    const { api, result } = await run(['update', id, '--schedule', '0 9 * * 1'], { [path]: { body: cron } })
    expect(result).toEqual({
      code: 0,
      stdout: `Saved ${id}: GET /api/report at 0 9 * * 1.\nAt 09:00 UTC, on Monday. Next run 2026-01-05 09:00 UTC.\n`,
      stderr: '',
    })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ schedule: '0 9 * * 1' })
    const both = await run(['edit', id, '--path', '/b', '--method', 'POST'], { [path]: { body: cron } })
    expect(JSON.parse(both.api.calls[0]!.body.toString())).toEqual({ path: '/b', method: 'POST' })
    const none = await run(['update', id], {})
    expect(none.result).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Nothing to change. Pass --schedule, --path or --method.\n',
    })
  })

  it('runs one now, and shows the last runs', async () => {
    const path = `POST /projects/blog/crons/${id}/run`
    expect((await run(['run', id], { [path]: { body: run1 } })).result.stdout).toBe(
      'Status 200 after 42 ms.\n',
    )
    expect((await run(['run', id], { [path]: { body: failed } })).result.stdout).toBe(
      'There was no answer within 60 seconds.\n',
    )
    const { result } = await run(['runs', id], {
      [`GET /projects/blog/crons/${id}/runs`]: { body: { runs: [failed, run1] } },
    })
    expect(result.stdout).toBe(
      '2026-01-05 09:00  There was no answer within 60 seconds  42 ms\n2026-01-05 09:00  Status 200                             42 ms\n',
    )
  })

  it('prints the secret alone', async () => {
    const body = { crons: [], verification_secret: 's3cret' }
    const { result } = await run(['secret'], { 'GET /projects/blog/crons': { body } })
    expect(result).toEqual({ code: 0, stdout: 's3cret\n', stderr: '' })
  })
})
