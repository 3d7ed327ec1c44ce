import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const id = 'ntf_0123456789abcdef'
const target = {
  id,
  kind: 'webhook',
  address: 'https://example.com/hook',
  events: ['cron.failed'],
  confirmed: true,
  created_at: '2026-01-02T03:04:05.678Z',
}
const delivery = {
  id: 'dlv_0123456789abcdef',
  type: 'cron.failed',
  state: 'pending',
  attempts: 1,
  status: 500,
  response: 'no\u001b[31m',
  body: '{}',
  created_at: '2026-01-02T03:04:05.678Z',
  next_attempt_at: null,
  delivered_at: null,
}

async function run(args: string[], answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['notifications', ...args], { env }) }
}

const blog = ['--project', 'blog']

describe('svc notifications', () => {
  it('lists the targets of a project, or of an org', async () => {
    const body = { targets: [target] }
    const line = `${id}  webhook  https://example.com/hook  cron.failed\n`
    const ofProject = await run(['ls', ...blog], { 'GET /projects/blog/notifications': { body } })
    expect(ofProject.result).toEqual({ code: 0, stdout: line, stderr: '' })
    const ofOrg = await run(['--org', 'acme'], { 'GET /orgs/acme/notifications': { body } })
    expect(ofOrg.result.stdout).toBe(line)
  })

  it('adds a webhook and shows its secret', async () => {
    const { api, result } = await run(
      ['add', target.address, '--events', 'cron.failed, build.failed', ...blog],
      {
        'POST /projects/blog/notifications': { status: 201, body: { ...target, secret: 's3cret' } },
      },
    )
    expect(result.stdout).toContain(`Added ${id}.`)
    expect(result.stdout).toContain('s3cret')
    expect(JSON.parse(String(api.calls[0]?.body)).events).toEqual(['cron.failed', 'build.failed'])
  })

  it('changes only what is named', async () => {
    const key = `PATCH /projects/blog/notifications/${id}`
    const { api, result } = await run(['edit', id, '--to', 'https://example.com/new', ...blog], {
      [key]: { body: target },
    })
    expect(result.stdout).toBe(`Changed ${id}.\n`)
    expect(JSON.parse(String(api.calls[0]?.body))).toEqual({ address: 'https://example.com/new' })
    const nothing = await run(['edit', id, ...blog], {})
    expect(nothing.result.code).toBe(1)
    expect(nothing.result.stderr).toContain('Name what to change')
  })

  it('adds an email address and says that it must be confirmed', async () => {
    const added = { ...target, kind: 'email', confirmed: false, secret: null }
    const { result } = await run(['add', 'ops@example.com', ...blog], {
      'POST /projects/blog/notifications': { status: 201, body: added },
    })
    expect(result.stdout).toContain('ops@example.com gets a link to confirm the address first.')
  })

  it('says what an address is that is neither a URL nor an email address, and sends nothing', async () => {
    const { api, result } = await run(['add', 'hooks.example.com', ...blog], {})
    expect(result).toMatchObject({
      code: 1,
      stderr: `svc: 'hooks.example.com' is neither a URL, as https://hooks.example.com, nor an email address.\n`,
    })
    expect(api.keys()).toEqual([])
  })

  it('shows the log without control characters', async () => {
    const { result } = await run(['log', id, ...blog], {
      [`GET /projects/blog/notifications/${id}/deliveries`]: { body: { deliveries: [delivery] } },
    })
    expect(result.stdout).toContain(
      'dlv_0123456789abcdef  2026-01-02 03:04  cron.failed  pending  1 attempt  500  no',
    )
    expect(result.stdout).not.toContain('\u001b')
  })
})
