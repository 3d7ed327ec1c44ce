// What svc does when its output, its files or their names are not as usual: one line, and no stack trace.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, standIn } from './testing/api.ts'
import { binary, svc, temporaryDirectory, token } from './testing/svc.ts'

const linux = process.platform === 'linux'

async function withStdout(args: string[], stdout: number | 'pipe', env: Record<string, string> = {}) {
  const cwd = temporaryDirectory()
  const child = spawn(process.execPath, [binary, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', text => (stderr += text))
  // A reader that goes away after its first bytes, as `head` does.
  child.stdout?.once('data', () => child.stdout?.destroy())
  const [code] = await once(child, 'close')
  return { code, stderr }
}

const many = { body: { projects: Array.from({ length: 20_000 }, (_, i) => project(`site-${i}`)) } }

describe('svc', () => {
  it.runIf(linux)('says when its output has no room', async () => {
    const full = openSync('/dev/full', 'w')
    const { code, stderr } = await withStdout(['--help'], full)
    expect([code, stderr]).toEqual([1, 'svc: Cannot write the output: no space left on the device.\n'])
    expect((await withStdout(['--version'], full)).code).toBe(1)
    closeSync(full)
  })

  it.runIf(linux)('says when a listing or an export has no room', async () => {
    const api = await standIn({
      'GET /projects?limit=100': many,
      'GET /projects/blog/forms/contact/export': (_, response) => response.end('id\r\n'.repeat(100_000)),
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    for (const args of [
      ['projects'],
      ['projects', '--json'],
      ['forms', 'export', 'contact', '--project', 'blog'],
    ]) {
      const full = openSync('/dev/full', 'w')
      const { code, stderr } = await withStdout(args, full, env)
      expect([code, stderr]).toEqual([1, 'svc: Cannot write the output: no space left on the device.\n'])
      closeSync(full)
    }
  })

  it('leaves without a word when its reader has gone', async () => {
    const api = await standIn({
      'GET /projects?limit=100': many,
      'GET /projects/blog/forms/contact/export': (_, response) => response.end('id\r\n'.repeat(1_000_000)),
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    for (const args of [['projects'], ['forms', 'export', 'contact', '--project', 'blog']])
      expect(await withStdout(args, 'pipe', env)).toEqual({ code: 0, stderr: '' })
  })

  it('reads files that begin with a byte order mark', async () => {
    const api = await standIn({ 'GET /projects/blog': { body: { ...project('blog'), deployments: [] } } })
    const cwd = temporaryDirectory({
      'svc.json': '\ufeff{"project":"blog"}',
      'credentials.json': `\ufeff{"token":"${token}"}`,
    })
    const { code } = await svc(['deployments'], { cwd, env: { SVC_API_URL: api.url, SVC_CONFIG_DIR: cwd } })
    expect([code, api.keys()]).toEqual([0, ['GET /projects/blog']])
  })

  it.runIf(linux)('names a file whose name is not UTF-8', async () => {
    const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}' })
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/caf`), Buffer.from([0xe9]), Buffer.from('.html')]), 'hi')
    const { code, stdout, stderr } = await svc(['deploy'], { cwd, env: { SVC_TOKEN: token } })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe('svc: Cannot read caf\ufffd.html: its name is not valid UTF-8. Rename it.\n')
  })

  it.runIf(linux)('asks for no approval of a login that it cannot keep', async () => {
    const api = await standIn({})
    for (const HOME of ['/dev/null', '/proc']) {
      const { code, stdout, stderr } = await svc(['login'], { env: { SVC_API_URL: api.url, HOME } })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^svc: Cannot write \S+credentials\.json: .*\.\n$/)
    }
    expect(api.calls).toEqual([])
  })

  it('keeps no login in the directory that it happens to run in', async () => {
    const cwd = temporaryDirectory()
    const { stderr } = await svc(['whoami'], { cwd, env: { HOME: '' } })
    expect(stderr).toMatch(/^svc: /)
    expect(readdirSync(cwd)).toEqual([])
  })
})
