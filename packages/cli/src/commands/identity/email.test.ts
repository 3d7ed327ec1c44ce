import { describe, expect, it } from 'vitest'
import { account, refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

describe('svc email', () => {
  const show = async (email: string | null, pending_email: string | null, ...args: string[]) => {
    const api = await standIn({
      'GET /me': { body: { ...account, email } },
      'GET /me/security': { body: { pending_email } },
    })
    return await svc(['email', ...args], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
  }

  it('prints the address of the account', async () => {
    expect(await show('ada@example.com', null)).toEqual({
      code: 0,
      stdout: 'ada@example.com\n',
      stderr: '',
    })
    expect((await show(null, null)).stdout).toBe('This account has no email address.\n')
  })

  it('says which address waits for its confirmation, and how to cancel the change', async () => {
    expect((await show('ada@example.com', 'new@example.com')).stdout).toBe(
      "ada@example.com\nnew@example.com waits for its confirmation. 'svc email cancel' cancels the change.\n",
    )
  })

  it('prints both with --json', async () => {
    const { stdout } = await show(null, 'new@example.com', '--json')
    expect(JSON.parse(stdout)).toEqual({ email: null, pending_email: 'new@example.com' })
  })
})

describe('svc email cancel', () => {
  it('cancels the change', async () => {
    const api = await standIn({ 'DELETE /me/email/pending': { body: { ok: true } } })
    expect(await svc(['email', 'cancel'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })).toEqual({
      code: 0,
      stdout: 'Cancelled the change of the email address.\n',
      stderr: '',
    })
  })

  it('passes on that no change waits', async () => {
    const api = await standIn({ 'DELETE /me/email/pending': refusal('not_found', 'No change waits.') })
    const result = await svc(['email', 'cancel'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: 'svc: No change waits. (not_found)\n' })
  })
})
