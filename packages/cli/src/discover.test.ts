import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, device, send, standIn } from './testing/api.ts'
import { secureServer, selfSigned } from './testing/certificates.ts'
import { svc, temporaryDirectory, token } from './testing/svc.ts'

const platform = {
  'GET /health': { body: { ok: true } },
  'POST /auth/device': { body: device },
  'POST /auth/device/poll': { body: { token } },
  'GET /me': { body: account },
}

async function login(address: string, env: Record<string, string> = {}) {
  const dir = temporaryDirectory()
  const result = await svc(['login', '--api-url', address], { env: { SVC_CONFIG_DIR: dir, ...env } })
  const stored = () => JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8')).api_url
  return { ...result, stored }
}

const page = (_: unknown, response: { end: (text: string) => void }) => response.end('<!doctype html>')

describe('the URL of svc login --api-url', () => {
  it('is checked before anything is asked of it', async () => {
    const api = await standIn(platform)
    expect(await login(api.url)).toMatchObject({ code: 0 })
    expect(api.keys()[0]).toBe('GET /health')
  })

  it.each(['/', '///', '/projects/blog', '/?a=b#c'])('may have %s at its end', async end => {
    const api = await standIn({ ...platform, 'GET /projects/blog/health': { status: 401, body: {} } })
    const { code, stored } = await login(api.url + end)
    expect([code, stored()]).toEqual([0, api.url])
  })

  it('may lack its scheme', async () => {
    const api = await standIn(platform)
    const { code, stored } = await login(api.url.replace('http://', ''))
    expect([code, stored()]).toEqual([0, api.url])
    expect((await login('nowhere.invalid')).stderr).toContain('Could not reach https://nowhere.invalid: ')
  })

  it('may be the path of a proxy behind which the API is', async () => {
    const api = await standIn({
      'GET /svc/health': { body: { ok: true } },
      'POST /svc/auth/device': { body: device },
      'POST /svc/auth/device/poll': { body: { token } },
      'GET /svc/me': { body: account },
    })
    const { code, stored } = await login(`${api.url}/svc/`)
    expect([code, stored()]).toEqual([0, `${api.url}/svc`])
  })

  it.each(['', '/', '/projects/blog'])("may be the dashboard's, with %j at its end", async end => {
    const api = await standIn(platform)
    const dashboard = await standIn({
      'GET /health': page,
      'GET /projects/blog/health': page,
      'GET /config.json': { body: { api_url: api.url } },
    })
    const { code, stderr, stored } = await login(dashboard.url + end)
    expect([code, stored()]).toEqual([0, api.url])
    expect(stderr).toContain(`${dashboard.url} is the dashboard. Using the API at ${api.url}.\n`)
    expect(dashboard.calls.every(call => call.headers.authorization === undefined)).toBe(true)
  })

  it('may be a name below localhost, also where the system does not know such names', async () => {
    const api = await standIn(platform)
    const { code, stored } = await login(api.url.replace('127.0.0.1', 'app.localhost'))
    expect(code).toBe(0)
    expect(stored()).toMatch(/^http:\/\/(app\.)?localhost:\d+$/)
  })

  it('becomes the https one that it redirects to, and the token is sent nowhere else', async () => {
    const certificate = selfSigned()
    const seen: string[] = []
    const secure = await secureServer(certificate, (request, response) => {
      seen.push(`${request.url} ${request.headers.authorization ?? ''}`.trim())
      const script = platform[`${request.method} ${request.url}` as keyof typeof platform]
      send(response, script)
    })
    const plain = await standIn({
      'GET /health': (_, response) => response.writeHead(301, { location: `${secure}/health` }).end(),
    })
    const { code, stderr, stored } = await login(plain.url, { NODE_EXTRA_CA_CERTS: certificate.certFile })
    expect([code, stored()]).toEqual([0, secure])
    expect(stderr).toContain(`${plain.url} redirects to https. Using ${secure}.\n`)
    expect(plain.keys()).toEqual(['GET /health'])
    expect(seen.at(-1)).toBe(`/me Bearer ${token}`)
  })

  it('that redirects to another host is not followed', async () => {
    const plain = await standIn({
      'GET /health': (_, response) => response.writeHead(302, { location: 'https://other.test/' }).end(),
    })
    const { code, stderr } = await login(plain.url)
    expect([code, stderr]).toEqual([
      1,
      `svc: ${plain.url} redirects to https://other.test. If that is your platform, run 'svc login --api-url https://other.test'.\n`,
    ])
  })

  it('of something else is refused', async () => {
    const site = await standIn({ 'GET /health': page, 'GET /config.json': page })
    const { code, stderr } = await login(site.url)
    expect(code).toBe(1)
    expect(stderr).toBe(
      `svc: ${site.url} answers, but it is not the API of svc. Use the URL of the API, which 'svcd start' prints.\n`,
    )
  })

  it.each(['ftp://a.test', 'http://', 'a b'])('is not %s', async address => {
    const { code, stderr } = await login(address)
    expect(code).toBe(1)
    expect(stderr).toContain('svc: --api-url is not an http or https URL')
  })

  it('holds no password', async () => {
    const { code, stderr } = await login('http://user:secret@a.test')
    expect([code, stderr]).toEqual([1, 'svc: --api-url must not hold a user name or a password.\n'])
  })
})
