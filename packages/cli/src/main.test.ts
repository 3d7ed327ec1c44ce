import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, refusal, send, standIn } from './testing/api.ts'
import { svc, temporaryDirectory, token } from './testing/svc.ts'

const { version, files } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

describe('svc', () => {
  it('prints its version', async () => {
    for (const args of [['--version'], ['-v'], ['version'], ['deploy', '--version']])
      expect(await svc(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    ['999.0.0', /^svc .* is older than the platform, which has version 999\.0\.0\./],
    ['0.0.1', /^$/],
    ['\u001b[31m999', /^$/],
  ])('says when it is older than a platform of the version %j', async (platform, expected) => {
    const api = await standIn({
      'GET /me': (_request, response) => {
        response.setHeader('x-svc-version', encodeURI(platform))
        send(response, { body: account })
      },
    })
    const { code, stderr } = await svc(['whoami'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect([code, stderr]).toEqual([0, expect.stringMatching(expected)])
  })

  it('runs from the files of its package alone', async () => {
    const elsewhere = temporaryDirectory()
    const root = new URL('../', import.meta.url)
    for (const name of ['package.json', ...files])
      cpSync(new URL(name, root), join(elsewhere, name), { recursive: true })
    const binary = join(elsewhere, 'bin/svc.js')
    const output = execFileSync(process.execPath, [binary, 'logout'], {
      env: { HOME: elsewhere },
      encoding: 'utf8',
    })
    expect(output).toBe('Already logged out.\n')
  })

  it('prints the same help with and without --help, and fails without', async () => {
    const asked = await svc(['--help'])
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    expect(asked.stdout).toContain('deploy [dir]')
    expect(await svc([])).toEqual({ ...asked, code: 1 })
  })

  it('keeps its help within 80 columns', async () => {
    for (const args of [['--help'], ['help', 'token'], ['help', 'logs']]) {
      const { stdout } = await svc(args)
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    }
  })

  it('helps with one command', async () => {
    const { code, stdout } = await svc(['login', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('svc login')
    expect(stdout).toContain('--api-url <url>')
  })

  it('tells failures of the user apart from its own by their form', async () => {
    expect(await svc(['frobnicate'])).toEqual({
      code: 1,
      stdout: '',
      stderr: "svc: Unknown command 'frobnicate'. See 'svc --help'.\n",
    })
  })

  it('reports an error of the API with its code', async () => {
    const api = await standIn({ 'GET /me': refusal('unauthorized', 'This token is not valid.', 401) })
    const result = await svc(['whoami'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toBe('svc: This token is not valid. (unauthorized)\n')
  })

  it('lets no message of the API steer the terminal', async () => {
    const api = await standIn({
      'GET /me': refusal('internal', 'a\x1b]0;title\x07b\nsecond \x1b[31mline', 500),
    })
    const { stderr } = await svc(['whoami'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stderr).toBe('svc: ab\nsecond line (internal)\n')
  })

  it('reports an answer that did not come from the API', async () => {
    const api = await standIn({
      'GET /me': (_, response) => response.writeHead(500).end('<h1>Internal Server Error</h1>'),
    })
    const result = await svc(['whoami'], { env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(result).toEqual({ code: 1, stdout: '', stderr: 'svc: API returned HTTP 500 (unknown)\n' })
  })

  it('names a redirect as such, and where it leads', async () => {
    const api = await standIn({
      'GET /me': (_, response) =>
        response.writeHead(308, { location: 'https://svc.example.com/me' }).end('Permanent Redirect'),
    })
    const settings = { env: { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' } }
    const stderr = 'svc: API returned HTTP 308: a redirect to https://svc.example.com/me (unknown)\n'
    expect(await svc(['whoami'], settings)).toEqual({ code: 1, stdout: '', stderr })
    expect((await svc(['whoami'], { ...settings, terminal: true })).stderr).toBe(
      `${stderr}It redirects to https://svc.example.com. If that is your platform, set SVC_API_URL to it.\n`,
    )
  })

  it('shows a bug as it is, with its stack trace', async () => {
    const bug = 'data:text/javascript,process.stdout.write=()=>{throw(TypeError(1))}'
    const result = await svc(['logout'], { env: { NODE_OPTIONS: `--import=${bug}` } })
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^TypeError: .*\n\s+at /)
  })

  it('colours only what a terminal shows, and not when NO_COLOR is set', async () => {
    const sequence = '\x1b['
    expect((await svc(['--help'], { terminal: true })).stdout).toContain(sequence)
    expect((await svc(['x'], { terminal: true })).stderr).toContain(sequence)
    expect((await svc(['--help'])).stdout).not.toContain(sequence)
    const plain = await svc(['--help'], { terminal: true, env: { NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain(sequence)
  })

  it('says so when a URL is not valid', async () => {
    const env = { SVC_API_URL: 'localhost:8080', SVC_TOKEN: token }
    const { code, stderr } = await svc(['whoami'], { env })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: SVC_API_URL is not an http or https URL: localhost:8080\n',
    })
  })

  it('fails project commands in a directory that is not linked', async () => {
    for (const args of [
      ['deploy'],
      ['deployments'],
      ['deployments', 'rm', 'dep_1'],
      ['rollback', 'dep_1'],
      ['open'],
      ['audit'],
      ['password'],
      ['password', 'set', 'secret'],
      ['password', 'rm'],
    ])
      expect(await svc(args, { env: { SVC_TOKEN: token } })).toEqual({
        code: 1,
        stdout: '',
        stderr: "svc: No linked project here. Run 'svc init' first, or pass --project <name>.\n",
      })
  })

  it('fails commands that need a token without one', async () => {
    const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}', 'index.html': 'hi' })
    for (const args of [
      ['whoami'],
      ['dashboard'],
      ['init', 'blog'],
      ['deploy'],
      ['projects'],
      ['token', 'cli'],
      ['org', 'list'],
      ['org', 'token', 'acme', 'deploy'],
      ['password', 'set', 'secret'],
      ['audit'],
    ])
      expect(await svc(args, { cwd, env: { SVC_TOKEN: '' } })).toEqual({
        code: 1,
        stdout: '',
        stderr: "svc: Not logged in. Run 'svc login' first.\n",
      })
  })

  it('reads svc.json strictly, and only its project', async () => {
    const broken = temporaryDirectory({ 'svc.json': '{ project: blog' })
    const { code, stderr } = await svc(['deployments'], { cwd: broken })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: svc.json is not valid JSON. Correct or remove it.\n',
    })
    for (const content of ['{}', '[]', 'null', '{"project":7}', '{"project":""}']) {
      const cwd = temporaryDirectory({ 'svc.json': content })
      expect((await svc(['deployments'], { cwd })).stderr).toMatch(/^svc: No linked project here\./)
    }
  })
})
