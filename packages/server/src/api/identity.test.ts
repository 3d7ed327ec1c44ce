import { limits } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { onEveryServer, type TestServer } from '../testing/server.ts'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const post = (server: TestServer, path: string, body: unknown, token?: string, headers = {}) =>
  server.request(path, { method: 'POST', body, token, headers })

onEveryServer(server => {
  it('the API is healthy, and says its version and where the dashboard is', async () => {
    const { status, json, headers } = await server().request('/health')
    expect(status).toBe(200)
    const { version } = server().running.platform
    expect(json).toEqual({ ok: true, dashboard_url: server().running.urls.dashboard, version })
    expect(headers['x-svc-version']).toBe(version)
    expect((await server().request('/me')).headers['x-svc-version']).toBe(version)
  })

  it('the API describes itself as OpenAPI 3.1', async () => {
    const { json } = await server().request('/openapi.json')
    expect(json.openapi).toBe('3.1.0')
    expect(json.paths['/projects/{name}/deployments'].post.responses['413'].description).toContain(
      'payload_too_large',
    )
  })

  it('the API shows the account behind a token', async () => {
    const account = await server().account()
    const { status, json } = await server().request('/me', { token: account.token })
    expect(status).toBe(200)
    expect(json).toEqual({
      id: account.id,
      gitforge_id: expect.any(Number),
      gitforge_login: account.login,
      email: null,
      token_kind: 'cli',
      org: null,
      created_at: expect.stringMatching(iso),
      platform_admin: expect.any(Boolean),
    })
  })

  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an unknown token', { authorization: `Bearer svc_${'a'.repeat(43)}` }],
    ['a hostile token', { authorization: `Bearer ${"'; drop table tokens; --"}` }],
  ])('the API refuses %s with 401', async (_, headers) => {
    const { status, json } = await server().request('/me', { headers })
    expect(status).toBe(401)
    expect(json.error.code).toBe('unauthorized')
  })

  it('the API answers 404 for unknown paths and wrong methods, whatever the token', async () => {
    const { token } = await server().account()
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['PATCH', '/me'],
      ['PUT', '/projects'],
      ['GET', '/me/'],
    ] as const)
      for (const given of [token, undefined]) {
        const { status, json } = await server().request(path, { method, token: given })
        expect([status, json.error.code]).toEqual([404, 'not_found'])
      }
  })

  it('the API answers 401 before anything else on a known path', async () => {
    const { status } = await post(server(), '/projects', 'not json')
    expect(status).toBe(401)
  })

  it.each([
    ['not JSON', '{', /not JSON/],
    ['a list', '[]', /object/],
    ['a missing field', '{}', /^kind/],
    ['a wrong value', '{"kind":"deploy"}', /^kind/],
    ['a label that is too long', JSON.stringify({ kind: 'cli', label: 'x'.repeat(201) }), /^label/],
    ['a label that is no string', JSON.stringify({ kind: 'cli', label: 5 }), /^label/],
  ])('the API refuses a body that is %s, naming what is wrong', async (_, body, message) => {
    const { token } = await server().account()
    const { status, json } = await post(server(), '/tokens', body, token)
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    expect(json.error.message).toMatch(message)
  })

  it('the API refuses a JSON body over 1 MB, declared or not, and stays up', async () => {
    const { token } = await server().account()
    const body = JSON.stringify({ kind: 'cli', label: 'x'.repeat(limits.jsonBodyBytes) })
    const declared = await post(server(), '/tokens', body, token)
    expect([declared.status, declared.json.error.code]).toEqual([413, 'payload_too_large'])
    const chunked = await fetch(`${server().apiUrl}/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(chunked.status).toBe(413)
    expect((await server().request('/health')).status).toBe(200)
  })

  it('the API lets the dashboard, and nobody else, call from a browser', async () => {
    const dashboard = server().running.urls.dashboard
    const preflight = (origin: string) =>
      server().request('/projects', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      })
    const ours = await preflight(dashboard)
    expect([ours.status, ours.headers['access-control-allow-origin']]).toEqual([204, dashboard])
    expect((await preflight('http://evil.localhost')).headers['access-control-allow-origin']).toBeUndefined()
  })

  it('the API sends a browser that asks for / to the dashboard', async () => {
    const { status, headers } = await server().request('/', { headers: { accept: 'text/html' } })
    expect([status, headers.location]).toEqual([302, server().running.urls.dashboard])
  })

  describe('tokens', () => {
    it('are created, listed newest first, and revoked once', async () => {
      const { token } = await server().account()
      const made = await post(server(), '/tokens', { kind: 'ai', label: 'editor' }, token)
      expect(made.status).toBe(201)
      expect(made.json).toEqual({
        id: expect.stringMatching(/^tok_[a-z0-9]{16}$/),
        kind: 'ai',
        label: 'editor',
        project: null,
        created_at: expect.stringMatching(iso),
        last_used_at: null,
        expires_at: null,
        revoked_at: null,
        token: expect.stringMatching(/^svc_[A-Za-z0-9_-]{43}$/),
      })
      const { tokens } = (await server().request('/tokens', { token })).json
      expect(tokens).toHaveLength(2)
      expect(tokens.map((t: { id: string }) => t.id)).toContain(made.json.id)
      expect(JSON.stringify(tokens)).not.toContain(made.json.token)
      const isCurrent = ({ id, current }: { id: string; current: boolean }) => [id === made.json.id, current]
      expect(tokens.map(isCurrent).sort()).toEqual([
        [false, true],
        [true, false],
      ])
      const revoke = () => server().request(`/tokens/${made.json.id}`, { method: 'DELETE', token })
      expect((await revoke()).json).toEqual({ ok: true })
      expect((await revoke()).status).toBe(404)
    })

    it('stop working at once when they are revoked', async () => {
      const { token } = await server().account()
      const made = (await post(server(), '/tokens', { kind: 'cli' }, token)).json
      expect((await server().request('/me', { token: made.token })).status).toBe(200)
      await server().request(`/tokens/${made.id}`, { method: 'DELETE', token })
      expect((await server().request('/me', { token: made.token })).status).toBe(401)
    })

    it('of the kind ai do not work here', async () => {
      const { token } = await server().account()
      const made = (await post(server(), '/tokens', { kind: 'ai' }, token)).json
      expect((await server().request('/me', { token: made.token })).status).toBe(401)
    })

    it('of someone else cannot be revoked', async () => {
      const [mine, theirs] = [await server().account(), await server().account()]
      const made = (await post(server(), '/tokens', { kind: 'cli' }, theirs.token)).json
      const { status } = await server().request(`/tokens/${made.id}`, { method: 'DELETE', token: mine.token })
      expect(status).toBe(404)
    })

    it('come in pages', async () => {
      const { token } = await server().account()
      for (let i = 0; i < 4; i++) await post(server(), '/tokens', { kind: 'cli', label: String(i) }, token)
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { json } = await server().request(`/tokens?limit=2${cursor ? `&cursor=${cursor}` : ''}`, {
          token,
        })
        seen.push(...json.tokens.map((t: { id: string }) => t.id))
        cursor = json.next_cursor
      }
      expect(new Set(seen).size).toBe(5)
      for (const bad of ['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'cursor=zzz'])
        expect((await server().request(`/tokens?${bad}`, { token })).status).toBe(400)
    })
  })
})
