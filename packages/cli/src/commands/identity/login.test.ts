import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, device, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const pending = refusal('authorization_pending', 'Still waiting.')
const started = { body: device }

describe('svc login', () => {
  it('shows the code and the URL, polls until approved, keeps the token and confirms it', async () => {
    const api = await standIn({
      'POST /auth/device': started,
      'POST /auth/device/poll': [pending, pending, { body: { token } }],
      'GET /me': { body: account },
    })
    const dir = join(temporaryDirectory(), 'deep', 'config')
    const result = await svc(['login'], { env: { SVC_API_URL: api.url, SVC_CONFIG_DIR: dir } })
    expect(result).toEqual({
      code: 0,
      stdout: 'Your code: ABCD-EFGH\nEnter it at http://app.localhost:8080/device\nLogged in as ada.\n',
      stderr: 'Waiting for your approval...\n',
    })
    expect(api.keys()).toEqual(['POST /auth/device', ...Array(3).fill('POST /auth/device/poll'), 'GET /me'])
    expect(JSON.parse(api.calls[1]!.body.toString())).toEqual({ device_code: device.device_code })
    expect(api.calls.at(-1)!.headers.authorization).toBe(`Bearer ${token}`)
    expect(readFileSync(join(dir, 'credentials.json'), 'utf8')).toBe(`{"token":"${token}"}\n`)
    expect(statSync(join(dir, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('prints and opens the URL that carries the code, if the platform gives one', async () => {
    const complete = `${device.verification_uri}?code=${device.user_code}`
    const api = await standIn({
      'POST /auth/device': { body: { ...device, verification_uri_complete: complete } },
      'POST /auth/device/poll': { body: { token } },
      'GET /me': { body: account },
    })
    const opened = join(temporaryDirectory(), 'opened')
    const browser = temporaryDirectory({ open: `#!/bin/sh\necho "$1" > ${opened}\n` })
    chmodSync(join(browser, 'open'), 0o755)
    const { stdout } = await svc(['login'], { env: { SVC_API_URL: api.url, BROWSER: join(browser, 'open') } })
    expect(stdout).toBe(`Your code: ABCD-EFGH\nApprove it at ${complete}\nLogged in as ada.\n`)
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(`${complete}\n`)
  })

  it('confirms with the new token, even when SVC_TOKEN says another, and warns of it', async () => {
    const api = await standIn({
      'POST /auth/device': started,
      'POST /auth/device/poll': { body: { token } },
      'GET /me': { body: account },
    })
    const { code, stderr } = await svc(['login'], { env: { SVC_API_URL: api.url, SVC_TOKEN: 'svc_other' } })
    expect(code).toBe(0)
    expect(api.calls.at(-1)!.headers.authorization).toBe(`Bearer ${token}`)
    expect(stderr).toContain('Warning: SVC_TOKEN is set')
  })

  it('replaces the token of an earlier login, also one that was readable by others or broken', async () => {
    const api = await standIn({
      'POST /auth/device': started,
      'POST /auth/device/poll': { body: { token } },
      'GET /me': { body: account },
    })
    const dir = temporaryDirectory({ 'credentials.json': 'not JSON' })
    expect(await svc(['login'], { env: { SVC_API_URL: api.url, SVC_CONFIG_DIR: dir } })).toMatchObject({
      code: 0,
    })
    expect(readFileSync(join(dir, 'credentials.json'), 'utf8')).toBe(`{"token":"${token}"}\n`)
    expect(statSync(join(dir, 'credentials.json')).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['expired_token', 400, 'svc: The code expired. Run svc login again.\n'],
    ['access_denied', 403, 'svc: Authorization was denied.\n'],
    ['internal', 500, 'svc: Words of the server. (internal)\n'],
  ])('ends on %s and keeps nothing', async (code, status, message) => {
    const api = await standIn({
      'POST /auth/device': started,
      'POST /auth/device/poll': [pending, refusal(code, 'Words of the server.', status)],
    })
    const dir = temporaryDirectory()
    const result = await svc(['login'], { env: { SVC_API_URL: api.url, SVC_CONFIG_DIR: dir } })
    expect(result.code).toBe(1)
    expect(result.stderr).toBe(`Waiting for your approval...\n${message}`)
    expect(existsSync(join(dir, 'credentials.json'))).toBe(false)
  })

  it('gives up when the code has run out', async () => {
    const api = await standIn({
      'POST /auth/device': { body: { ...device, expires_in: 0 } },
      'POST /auth/device/poll': pending,
    })
    const { code, stderr } = await svc(['login'], { env: { SVC_API_URL: api.url } })
    expect(code).toBe(1)
    expect(stderr).toContain('svc: The code expired. Run svc login again.\n')
  })

  it('goes on after slow_down', async () => {
    const api = await standIn({
      'POST /auth/device': started,
      'POST /auth/device/poll': [refusal('slow_down', 'Too fast.', 429), { body: { token } }],
      'GET /me': { body: account },
    })
    expect(await svc(['login'], { env: { SVC_API_URL: api.url } })).toMatchObject({ code: 0 })
  })

  it('remembers the platform of --api-url for the commands that follow', async () => {
    const api = await standIn({
      'GET /health': { body: { ok: true } },
      'POST /auth/device': started,
      'POST /auth/device/poll': { body: { token } },
      'GET /me': { body: account },
    })
    const env = { SVC_CONFIG_DIR: temporaryDirectory() }
    expect(await svc(['login', '--api-url', `${api.url}/`], { env })).toMatchObject({ code: 0 })
    expect(readFileSync(join(env.SVC_CONFIG_DIR, 'config.json'), 'utf8')).toBe(`{"api_url":"${api.url}"}\n`)
    expect(await svc(['whoami'], { env })).toMatchObject({ code: 0 })
  })

  it('refuses an --api-url that SVC_API_URL would overrule', async () => {
    const clash = await svc(['login', '--api-url', 'http://a.test'], {
      env: { SVC_API_URL: 'http://b.test' },
    })
    expect(clash).toMatchObject({
      code: 1,
      stderr: 'svc: SVC_API_URL (http://b.test) wins over --api-url. Unset it to log in to http://a.test.\n',
    })
  })

  it.each([[{}], [{ ...device, device_code: null }], [{ ...device, user_code: undefined }]])(
    'fails when the platform starts no login: %j',
    async answer => {
      const api = await standIn({ 'POST /auth/device': { body: answer } })
      const { code, stderr } = await svc(['login'], { env: { SVC_API_URL: api.url } })
      expect(code).toBe(1)
      expect(stderr).toMatch(/svc: The answer of \S+ has no '\w+'\./)
      expect(api.keys()).toEqual(['POST /auth/device'])
    },
  )

  it('stores nothing when the platform gives no token', async () => {
    const api = await standIn({ 'POST /auth/device': started, 'POST /auth/device/poll': { body: {} } })
    const dir = temporaryDirectory()
    const { code, stderr } = await svc(['login'], { env: { SVC_API_URL: api.url, SVC_CONFIG_DIR: dir } })
    expect([code, existsSync(join(dir, 'credentials.json'))]).toEqual([1, false])
    expect(stderr).toContain("has no 'token'")
  })
})
