import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseDotenv } from '@svc/contract/dotenv'
import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token, writeFiles } from '../../testing/svc.ts'

const at = '2026-01-02T03:04:05.678Z'
const variable = (key: string, value: string, scope: string) => ({ key, value, scope, updated_at: at })
const linked = (files: Record<string, string | Buffer> = {}) =>
  temporaryDirectory({ 'svc.json': '{"project":"blog"}', ...files })

/** An API that takes these keys, and what it was asked. */
async function taking(keys: string[], scope = 'runtime') {
  const scripts = Object.fromEntries(
    keys.map(key => [`PUT /projects/blog/env/${key}`, { body: { key, scope } }]),
  )
  const api = await standIn(scripts)
  const sent = () => api.calls.map(({ key, body }) => [key.split('/').pop(), JSON.parse(body.toString())])
  return { env: { SVC_API_URL: api.url, SVC_TOKEN: token }, api, sent }
}

describe('svc env', () => {
  it('lists the variables, and marks scopes other than runtime', async () => {
    const env = [
      variable('API_URL', 'https://example.com', 'runtime'),
      variable('KEY', 'line one\nline\ttwo \u001b[31mred', 'both'),
      variable('TOKEN', '', 'build'),
    ]
    const api = await standIn({ 'GET /projects/blog/env': { body: { env } } })
    const settings = { cwd: linked(), env: { SVC_API_URL: api.url, SVC_TOKEN: token } }
    const lines = [
      'API_URL  https://example.com',
      'KEY      line one\\nline\\ttwo \\u001b[31mred  [both]',
      'TOKEN                                       [build]',
      '',
    ]
    for (const args of [['env'], ['env', 'ls'], ['env', 'list']])
      expect(await svc(args, settings)).toEqual({ code: 0, stdout: lines.join('\n'), stderr: '' })
    expect(JSON.parse((await svc(['env', 'ls', '--json'], settings)).stdout)).toEqual({ env })
  })

  it('says so when there are none', async () => {
    const api = await standIn({ 'GET /projects/shop/env': { body: { env: [] } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { code, stdout } = await svc(['env', '--project', 'shop'], { env })
    expect([code, stdout]).toEqual([0, "No variables yet. 'svc env set KEY=value' sets the first one.\n"])
  })

  it('shows only the first characters of values on a terminal, and all of them with --show', async () => {
    const env = [
      variable('DATABASE_URL', 'postgres://ada:secret@db', 'runtime'),
      variable('EMPTY', '', 'runtime'),
      variable('PIN', '1234', 'both'),
      variable('SHORT', 'abc', 'runtime'),
    ]
    const api = await standIn({ 'GET /projects/blog/env': { body: { env } } })
    const settings = { cwd: linked(), env: { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' } }
    const whole =
      'DATABASE_URL  postgres://ada:secret@db\nEMPTY\nPIN           1234                      [both]\nSHORT         abc\n'
    expect(await svc(['env'], { ...settings, terminal: true })).toEqual({
      code: 0,
      stdout: 'DATABASE_URL  post…\nEMPTY\nPIN           1…     [both]\nSHORT         …\n',
      stderr: "Only the first characters of values are shown. 'svc env --show' shows them whole.\n",
    })
    expect((await svc(['env', '--show'], { ...settings, terminal: true })).stdout).toBe(whole)
    for (const args of [['env'], ['env', '--show']])
      expect(await svc(args, settings)).toEqual({ code: 0, stdout: whole, stderr: '' })
  })

  it('cuts nothing short for a script, nor with --show', async () => {
    const env = [variable('LONG', 'x'.repeat(500), 'runtime')]
    const api = await standIn({ 'GET /projects/blog/env': { body: { env } } })
    const settings = { cwd: linked(), env: { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' } }
    const line = `LONG  ${'x'.repeat(500)}\n`
    expect((await svc(['env', '--show'], { ...settings, terminal: true })).stdout).toBe(line)
    expect((await svc(['env'], settings)).stdout).toBe(line)
  })

  it('sends nothing without a link, or for an unknown subcommand', async () => {
    const { env, api } = await taking([])
    expect((await svc(['env', 'set', 'A=1'], { env })).stderr).toBe(
      "svc: No linked project here. Run 'svc init' first, or pass --project <name>.\n",
    )
    expect((await svc(['env', 'unset'], { cwd: linked(), env })).stderr).toMatch(/svc env rm <KEY>/)
    expect(api.calls).toEqual([])
  })
})

describe('variables of one environment or one branch', () => {
  const env = [
    { ...variable('A', 'both', 'runtime'), environments: ['production', 'preview'], branch: null },
    { ...variable('A', 'it\'s\na $new "one"', 'both'), environments: ['preview'], branch: null },
    { ...variable('A', 'of next', 'runtime'), environments: ['preview'], branch: 'next' },
    {
      ...variable('S', '', 'runtime'),
      value: null,
      environments: ['production'],
      branch: null,
      secret: true,
    },
  ]

  it('are marked in the list', async () => {
    const api = await standIn({
      'GET /projects/blog/env': { body: { env: env.filter(it => it.scope !== 'both') } },
    })
    const settings = { cwd: linked(), env: { SVC_API_URL: api.url, SVC_TOKEN: token } }
    expect((await svc(['env'], settings)).stdout).toBe(
      'A  both\nA  of next  [branch next]\nS           [production] [secret]\n',
    )
  })

  it('are set with options', async () => {
    const stored = { key: 'A', scope: 'runtime', environments: ['preview'], branch: 'next', secret: true }
    const api = await standIn({ 'PUT /projects/blog/env/A': { body: stored } })
    const settings = { cwd: linked(), env: { SVC_API_URL: api.url, SVC_TOKEN: token } }
    const words = ['--environment', 'preview', '--branch', 'next', '--secret']
    const { stdout } = await svc(['env', 'set', 'A=1', ...words], settings)
    expect(stdout).toBe('Set A [branch next] [secret].\n')
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({
      ...{ value: '1', environments: ['preview'], branch: 'next', secret: true },
    })
    for (const [wrong, why] of [
      [['--environment', 'test'], /^svc: Unknown environment 'test'/],
      [['--environment', 'production', '--branch', 'next'], /^svc: A branch is only for previews/],
    ] as const)
      expect((await svc(['env', 'set', 'A=1', ...wrong], settings)).stderr).toMatch(why)
    expect(api.calls).toHaveLength(1)
  })

  it('are refused by a platform that does not know them', async () => {
    const { env, api } = await taking(['A'])
    const { code, stderr } = await svc(['env', 'set', 'A=1', '--secret'], { cwd: linked(), env })
    expect([code, stderr, api.calls.length]).toEqual([1, expect.stringMatching(/older version/), 1])
  })

  it('are written into a dotenv file that only its owner can read', async () => {
    const api = await standIn({ 'GET /projects/blog/env': { body: { env } } })
    const cwd = linked()
    const settings = { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } }
    expect(await svc(['env', 'pull'], settings)).toEqual({
      ...{ code: 0, stdout: 'Wrote 1 variable of production to .env.\n' },
      stderr: 'Secret, so without a value: S\n',
    })
    const text = (file: string) => readFileSync(join(cwd, file), 'utf8')
    expect(text('.env')).toBe('A=both\n# S is secret: its value cannot be read\n')
    expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600)
    expect((await svc(['env', 'pull'], settings)).stderr).toMatch(/^svc: .env exists already/)
    expect((await svc(['env', 'pull', '.env', '--yes', '--branch', 'next'], settings)).code).toBe(0)
    expect(text('.env')).toBe("A='of next'\n")
    execFileSync('git', ['init', '--quiet', cwd])
    const seen = await svc(['env', 'pull', '.env', '--yes'], settings)
    expect(seen.stderr).toContain('git does not ignore .env. Add it to .gitignore')
    writeFiles(cwd, { '.gitignore': '.env\n' })
    expect((await svc(['env', 'pull', '.env', '--yes'], settings)).stderr).not.toContain('git')
    await svc(['env', 'pull', 'preview.env', '--environment', 'preview'], settings)
    expect(parseDotenv(text('preview.env'))).toEqual([{ key: 'A', value: env[1]!.value }])
  })
})

describe('svc env set', () => {
  it('sets each in turn, and leaves the scope to the server', async () => {
    const { env, sent } = await taking(['A', 'B', 'C'])
    const { code, stdout } = await svc(['env', 'set', 'A=1', 'B=x=y z', 'C='], { cwd: linked(), env })
    expect([code, stdout]).toEqual([0, 'Set A.\nSet B.\nSet C.\n'])
    expect(sent()).toEqual([
      ['A', { value: '1' }],
      ['B', { value: 'x=y z' }],
      ['C', { value: '' }],
    ])
  })

  it('sends the scope that was asked for', async () => {
    const { env, sent } = await taking(['A'], 'build')
    const { stdout } = await svc(['env', 'set', '--scope', 'build', 'A=1'], { cwd: linked(), env })
    expect([stdout, sent()]).toEqual(['Set A [build].\n', [['A', { value: '1', scope: 'build' }]]])
  })

  it.each([
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['two\nlines\n\n', 'two\nlines\n'],
    [' kept ', ' kept '],
  ])('reads %j from stdin as %j', async (stdin, value) => {
    const { env, sent } = await taking(['KEY'])
    const { code, stdout } = await svc(['env', 'set', 'KEY', '-'], { cwd: linked(), env, stdin })
    expect([code, stdout, sent()]).toEqual([0, 'Set KEY.\n', [['KEY', { value }]]])
  })

  it.each(['', '\n'])('refuses %j from stdin', async stdin => {
    const { env, api } = await taking(['KEY'])
    expect(await svc(['env', 'set', 'KEY', '-'], { cwd: linked(), env, stdin })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Expected the value of KEY on stdin, but nothing came.\n',
    })
    expect(api.calls).toEqual([])
  })

  it('reads a value of exactly 64 KB from stdin', async () => {
    const { env, sent } = await taking(['KEY'])
    const value = 'x'.repeat(65_536)
    const stdin = `${value}\r\n`
    expect(await svc(['env', 'set', 'KEY', '-'], { cwd: linked(), env, stdin })).toMatchObject({ code: 0 })
    expect(sent()).toEqual([['KEY', { value }]])
  })

  it('stops reading stdin after 64 KB', async () => {
    const { env, api } = await taking(['KEY'])
    const stderr = 'svc: The value of KEY is over the limit of 64 KB.\n'
    const settings = { cwd: linked(), env, stdin: 'x'.repeat(65_540) }
    for (const stdinStaysOpen of [false, true])
      expect(await svc(['env', 'set', 'KEY', '-'], { ...settings, stdinStaysOpen })).toEqual({
        ...{ code: 1, stdout: '', stderr },
      })
    expect(api.calls).toEqual([])
  })

  it.each([
    [[], /^svc: Usage: svc env set <KEY=value...>\n$/],
    [['A=1', 'B'], /^svc: 'B' is not KEY=value\./],
    [['=1'], /^svc: '=1' is not KEY=value\./],
    [['A=1', 'MY-KEY=2'], /^svc: 'MY-KEY' is not a name/],
    [['A=1', '--scope', 'prod'], /^svc: Unknown scope 'prod'\. Use runtime, build or both\.\n$/],
    [[`A=${'x'.repeat(65_537)}`], /^svc: The value of A is over the limit of 64 KB\.\n$/],
  ])('sends nothing for %.40j', async (args, words) => {
    const { env, api } = await taking(['A'])
    const { code, stdout, stderr } = await svc(['env', 'set', ...args], { cwd: linked(), env })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(words)])
    expect(api.calls).toEqual([])
  })

  it('passes on what the server refuses', async () => {
    const refused = refusal('invalid_request', 'key: PORT is set by the platform')
    const api = await standIn({ 'PUT /projects/blog/env/PORT': refused })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect((await svc(['env', 'set', 'PORT=1'], { cwd: linked(), env })).stderr).toBe(
      'svc: key: PORT is set by the platform (invalid_request)\n',
    )
  })
})

describe('svc env import', () => {
  it('refuses a file of more than 4 MB', async () => {
    const { env, api } = await taking([])
    const cwd = linked({ '.env': '#'.repeat(4 * 1024 * 1024 + 1) })
    expect(await svc(['env', 'import'], { cwd, env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^svc: \.env is larger than 4 MB\./),
    })
    expect(api.calls).toEqual([])
  })

  const dotenv = [
    '# settings',
    'PORT=3000',
    'export API_URL=https://example.com # the API',
    'PEM="-----BEGIN\nabc\n-----END"',
    "RAW='no \\n escape'",
    'NODE_ENV=production',
    'VERCEL_ENV=preview',
    'NETLIFY=true',
    'HOSTNAME=here',
  ].join('\n')

  it('sets what the file holds, names what it skips, and sends no scope', async () => {
    const { env, sent } = await taking(['API_URL', 'PEM', 'RAW'])
    expect(await svc(['env', 'import'], { cwd: linked({ '.env': dotenv }), env })).toEqual({
      code: 0,
      stdout: 'Imported 3 variables from .env.\n',
      stderr: 'Skipped, since a platform sets them: PORT, NODE_ENV, VERCEL_ENV, NETLIFY, HOSTNAME\n',
    })
    expect(sent()).toEqual([
      ['API_URL', { value: 'https://example.com' }],
      ['PEM', { value: '-----BEGIN\nabc\n-----END' }],
      ['RAW', { value: 'no \\n escape' }],
    ])
  })

  it('sets all with one scope', async () => {
    const { env, sent } = await taking(['A', 'B'], 'both')
    const cwd = linked({ 'prod.env': 'A=1\nB=2\n' })
    const { stdout } = await svc(['env', 'import', 'prod.env', '--scope', 'both'], { cwd, env })
    expect(stdout).toBe('Imported 2 variables from prod.env.\n')
    expect(sent()).toEqual([
      ['A', { value: '1', scope: 'both' }],
      ['B', { value: '2', scope: 'both' }],
    ])
  })

  it.each([
    ['missing', {}, 'Cannot read .env: no such file or directory.'],
    ['a directory', { '.env/x': '' }, 'Cannot read .env: is a directory.'],
    ['not text', { '.env': Buffer.from([0xff, 0xfe, 0x41, 0]) }, '.env is not UTF-8 text.'],
    ['not understood', { '.env': 'A=1\nwhat?\n' }, '.env, line 2: is not KEY=value.'],
    ['never closed', { '.env': 'A=1\nB="x\n' }, '.env, line 2: the " is never closed.'],
  ])('sends nothing where the file is %s', async (_, files, words) => {
    const { env, api } = await taking(['A'])
    const cwd = linked()
    writeFiles(cwd, files as Record<string, string | Buffer>)
    expect(await svc(['env', 'import'], { cwd, env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc: ${words}\n`,
    })
    expect(api.calls).toEqual([])
  })
})

describe('svc env rm', () => {
  it.each(['rm', 'remove', 'delete'])('removes a variable: %s', async word => {
    const api = await standIn({ 'DELETE /projects/blog/env/KEY': { body: { ok: true } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['env', word, 'KEY'], { cwd: linked(), env })).toEqual({
      code: 0,
      stdout: 'Removed KEY.\n',
      stderr: '',
    })
  })
})

describe('a change that a server app has to restart for', () => {
  const app = (state: string, more: object = {}) => ({
    body: { app: { state, since: at, error: null, ...more } },
  })
  const starting = app('running', { restart: { state: 'starting', error: null } })
  const restarts = 'The running app restarts with the change, without downtime.\n'

  async function change(args: string[], restarting: boolean | undefined, details: { body: unknown }[]) {
    const body = { key: 'A', scope: 'runtime', restarting }
    const api = await standIn({
      'PUT /projects/blog/env/A': { body },
      'PUT /projects/blog/env/B': { body: { key: 'B', scope: 'build' } },
      'DELETE /projects/blog/env/A': { body: { ok: true, restarting } },
      'GET /projects/blog': details,
    })
    const cwd = linked({ '.env': 'A=1\nB=2\n' })
    return await svc(['env', ...args], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
  }

  it('waits until the app runs with it', async () => {
    expect(await change(['set', 'A=1'], true, [starting, starting, app('running')])).toEqual({
      code: 0,
      stdout: 'Set A.\n',
      stderr: `${restarts}It is up.\n`,
    })
  })

  it.each([
    [['set', 'A=1', 'B=2'], 'Set A.\nSet B [build].\n', 'with the former value'],
    [['import'], 'Imported 2 variables from .env.\n', "'svc env rm <KEY>'"],
    [['rm', 'A'], 'Removed A.\n', 'svc env set A=<value>'],
  ])(
    'fails with %j where the app does not come up, and says why and how to undo it',
    async (args, done, undo) => {
      const error = 'The app exited with code 1 before it accepted connections.\nno \u001b[2Jdatabase'
      const failed = app('running', { restart: { state: 'failed', error } })
      const { code, stdout, stderr } = await change(args, true, [starting, failed])
      expect([code, stdout]).toEqual([1, done])
      expect(stderr).toContain(
        `${restarts}svc: The new instance did not start. The one from before keeps running`,
      )
      expect(stderr).toContain('exited with code 1 before it accepted connections.\nno database\n')
      expect(stderr).toContain(undo)
    },
  )

  it('fails where the app that was starting ended', async () => {
    const crashed = app('crashed', { error: 'no database' })
    const { code, stderr } = await change(['set', 'A=1'], true, [app('starting'), crashed])
    expect(code).toBe(1)
    expect(stderr).toContain('The app does not run now.\nno database\n')
  })

  it('says that a sleeping app uses it at its next start', async () => {
    expect(await change(['set', 'A=1'], false, [])).toEqual({
      code: 0,
      stdout: 'Set A.\n',
      stderr: 'The app does not run now. It uses the change at its next start.\n',
    })
  })

  it('is made, whatever becomes of the question how it went', async () => {
    for (const details of [[], [app('running')]])
      expect(await change(['set', 'A=1'], true, details)).toEqual({
        code: 0,
        stdout: 'Set A.\n',
        stderr: restarts,
      })
  })
})
