import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const deleteAt = '2026-01-02T03:04:05.678Z'

describe('svc account delete', () => {
  it('sends the password from stdin, says until when the account can be kept, and forgets the token', async () => {
    const api = await standIn({
      'GET /me': { body: account },
      'DELETE /me': { body: { delete_at: deleteAt } },
    })
    const dir = temporaryDirectory({ 'credentials.json': `{"token":"${token}"}\n` })
    const env = { SVC_API_URL: api.url, SVC_CONFIG_DIR: dir }
    const { code, stdout, stderr } = await svc(['account', 'delete'], { env, stdin: 'open sesame\n' })
    expect([code, stderr]).toEqual([0, expect.stringContaining('svc account export > account.jsonl')])
    expect(stdout).toBe(
      `The account will be deleted at ${deleteAt}. To keep it: svc login, then svc account keep.\n`,
    )
    expect(JSON.parse(api.calls.at(-1)!.body.toString())).toEqual({ password: 'open sesame' })
    expect(existsSync(join(dir, 'credentials.json'))).toBe(false)
  })

  it('keeps the token if the API refuses', async () => {
    const api = await standIn({
      'GET /me': { body: account },
      'DELETE /me': refusal('last_owner', 'The account is the only owner of acme.', 409),
    })
    const dir = temporaryDirectory({ 'credentials.json': `{"token":"${token}"}\n` })
    const env = { SVC_API_URL: api.url, SVC_CONFIG_DIR: dir }
    const { code, stderr } = await svc(['account', 'delete'], { env, stdin: 'open sesame' })
    expect(code).toBe(1)
    expect(stderr).toContain('only owner of acme')
    expect(existsSync(join(dir, 'credentials.json'))).toBe(true)
  })
})

describe('svc account', () => {
  it('keep takes the deletion back', async () => {
    const api = await standIn({ 'POST /me/keep': { body: { ok: true } } })
    const { stdout } = await svc(['account', 'keep'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stdout).toMatch(/^Your account stays/)
  })

  it('export writes what the API sends to stdout', async () => {
    const lines = '{"kind":"account"}\n{"kind":"end"}\n'
    const api = await standIn({
      'GET /me/export': (_, response) =>
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines),
    })
    const { stdout } = await svc(['account', 'export'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stdout).toBe(lines)
  })
})
