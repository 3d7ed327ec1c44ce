import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const one = {
  name: 'tmp-abcdefghij',
  url: 'http://tmp-abcdefghij.localhost:8080',
  deployment_id: 'dep_aaaaaaaaaaaaaaaa',
  created_at: '2026-11-15T23:59:59.999Z',
  expires_at: '2026-11-22T23:59:59.999Z',
}
const site = { 'svc.json': '{"project":"blog"}', 'index.html': 'hello', 'css/main.css': 'p {}' }

describe('svc share', () => {
  it('uploads the directory without a project and prints where and until when it is', async () => {
    const api = await standIn({ 'POST /shares': { status: 201, body: one } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['share'], { cwd: temporaryDirectory(site), env })).toEqual({
      code: 0,
      stdout: `tmp-abcdefghij is live until 2026-11-22 23:59 UTC: 2 files, 9 B.\n${one.url}\n`,
      stderr: '',
    })
    const [call] = api.calls
    expect(call!.headers).toMatchObject({ 'content-type': 'application/gzip' })
    const listing = execFileSync('tar', ['-tzf', '-'], { input: call!.body, encoding: 'utf8' })
    expect(listing.trim().split('\n')).toEqual(['css/main.css', 'index.html'])
  })

  it('takes a directory and a time', async () => {
    const body = { ...one, warnings: ['_redirects, line 3: no target'] }
    const api = await standIn({ 'POST /shares?ttl=30': { status: 201, body } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const cwd = temporaryDirectory({ 'ls/index.html': 'x' })
    const { code, stdout, stderr } = await svc(['share', './ls', '--ttl', '30', '--json'], { cwd, env })
    expect([code, JSON.parse(stdout)]).toEqual([0, body])
    expect(stderr).toBe('Warning: _redirects, line 3: no target\n')
  })

  it.each(['0', '31', '1.5', 'week', '1e1'])('refuses the time %j before it packs anything', async ttl => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['share', `--ttl=${ttl}`], { cwd: temporaryDirectory(site), env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: --ttl takes whole days, 1 to 30.\n',
    })
    expect(api.calls).toEqual([])
  })

  it('refuses what is no site, and passes on what the platform says', async () => {
    const full = refusal('quota_exceeded', 'You have 100 shares already.', 402)
    const api = await standIn({ 'POST /shares': full })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const cwd = temporaryDirectory(site)
    expect((await svc(['share', 'none'], { cwd, env })).stderr).toBe('svc: Not a directory: none\n')
    expect((await svc(['share'], { cwd, env })).stderr).toBe(
      'svc: You have 100 shares already. (quota_exceeded)\n',
    )
  })

  it('lists all pages', async () => {
    const two = { ...one, name: 'tmp-klmnopqrst', url: 'http://tmp-klmnopqrst.localhost:8080' }
    const pages = {
      'GET /shares?limit=100': { body: { shares: [one], next_cursor: 'next' } },
      'GET /shares?cursor=next&limit=100': { body: { shares: [two], next_cursor: null } },
    }
    const api = await standIn(pages)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['share', 'ls'], { env })).toEqual({
      code: 0,
      stdout: `tmp-abcdefghij  ${one.url}  until 2026-11-22 23:59\ntmp-klmnopqrst  ${two.url}  until 2026-11-22 23:59\n`,
      stderr: '',
    })
    const { stdout } = await svc(['share', 'ls', '--json'], { env })
    expect(JSON.parse(stdout)).toEqual({ shares: [one, two], next_cursor: null })
  })

  it('says so when there are none', async () => {
    const api = await standIn({ 'GET /shares?limit=100': { body: { shares: [], next_cursor: null } } })
    const { stdout } = await svc(['share', 'ls'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stdout).toBe("No shares. 'svc share [dir]' makes one.\n")
  })

  it('deletes one', async () => {
    const api = await standIn({ 'DELETE /shares/tmp-abcdefghij': { body: { ok: true } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['share', 'rm', 'tmp-abcdefghij'], { env })).toEqual({
      code: 0,
      stdout: 'Deleted tmp-abcdefghij.\n',
      stderr: '',
    })
  })
})
