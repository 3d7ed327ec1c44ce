import { expect, it } from 'vitest'
import { onEveryServer } from '../testing/server.ts'

const day = 86_400_000
const minute = 60_000

onEveryServer(server => {
  const create = (token: string, body: object, path = '/tokens') =>
    server().request(path, { method: 'POST', token, body: { kind: 'cli', ...body } })
  const inDays = (days: number) => new Date(server().clock.now() + days * day).toISOString()
  const listed = async (token: string, id: string) =>
    (await server().request('/tokens', { token })).json.tokens.find((row: { id: string }) => row.id === id)

  it('the API shows when a token was last used, some minutes behind', async () => {
    const { token } = await server().account()
    const made = (await create(token, {})).json
    expect((await listed(token, made.id)).last_used_at).toBeNull()
    await server().request('/me', { token: made.token })
    const first = (await listed(token, made.id)).last_used_at
    expect(Date.parse(first)).toBeLessThanOrEqual(server().clock.now())
    server().clock.advance(minute)
    await server().request('/me', { token: made.token })
    expect((await listed(token, made.id)).last_used_at).toBe(first)
    server().clock.advance(10 * minute)
    await server().request('/me', { token: made.token })
    expect(Date.parse((await listed(token, made.id)).last_used_at)).toBeGreaterThan(
      Date.parse(first) + 10 * minute,
    )
  })

  it('the API notes no use of a token that is refused', async () => {
    const { token } = await server().account()
    const made = (await create(token, { kind: 'ai' })).json
    await server().request('/me', { token: made.token })
    expect((await listed(token, made.id)).last_used_at).toBeNull()
  })

  it('the API refuses a token from the moment on at which it expires', async () => {
    const { token } = await server().account()
    const expires_at = inDays(90)
    const made = await create(token, { expires_at })
    expect([made.status, made.json.expires_at]).toEqual([201, expires_at])
    expect((await server().request('/me', { token: made.json.token })).status).toBe(200)
    server().clock.advance(90 * day)
    const late = await server().request('/me', { token: made.json.token })
    expect(late.status).toBe(401)
    expect(late.json.error).toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/^This token expired at \S+Z\. Create a new one/),
    })
    expect((await server().request('/me', { token })).status).toBe(200)
    expect(await listed(token, made.json.id)).toMatchObject({ expires_at, revoked_at: null })
  })

  it('the API lets tokens of an org expire, too', async () => {
    const { token } = await server().account()
    const org = `org-${server().clock.now().toString(36)}`
    await server().request('/orgs', { method: 'POST', token, body: { name: org } })
    const made = await create(token, { kind: 'deploy', expires_at: inDays(1) }, `/orgs/${org}/tokens`)
    expect((await server().request('/projects', { token: made.json.token })).status).toBe(200)
    server().clock.advance(day + 1)
    expect((await server().request('/projects', { token: made.json.token })).status).toBe(401)
  })

  it.each([
    ['the past', () => inDays(-1)],
    ['now', () => inDays(0)],
    ['more than ten years from now', () => inDays(3_700)],
    ['a day without a time', () => '2099-01-01'],
    ['nonsense', () => 'soon'],
    ['a number', () => 90],
  ])('the API makes no token that expires at %s', async (_, expires_at) => {
    const { token } = await server().account()
    const { status, json } = await create(token, { expires_at: expires_at() })
    expect([status, json.error.code, json.error.message]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('expires_at'),
    ])
  })

  it('the API makes no token that looks like a session of the dashboard', async () => {
    const { token } = await server().account()
    const { status, json } = await create(token, { label: 'Web console' })
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
  })

  it('the API takes null, and any offset, for the time of expiry', async () => {
    const { token } = await server().account()
    expect((await create(token, { expires_at: null })).json.expires_at).toBeNull()
    const local = inDays(7).replace('Z', '+02:00')
    expect((await create(token, { expires_at: local })).json.expires_at).toBe(
      new Date(Date.parse(local)).toISOString(),
    )
  })
})
