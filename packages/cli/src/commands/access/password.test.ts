import { describe, expect, it } from 'vitest'
import { project, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const put = 'PUT /projects/blog/password'

async function place(scripts: Parameters<typeof standIn>[0]) {
  const api = await standIn(scripts)
  const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}' })
  return { api, settings: { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } } }
}

describe('svc password', () => {
  it.each([
    ['public', null, 'blog is public: everyone can see it.\n'],
    ['password', null, 'blog asks visitors for a password.\n'],
    ['org', 'acme', 'blog is open to the members of acme alone.\n'],
  ])('reports the state %s', async (mode, org, text) => {
    const detail = project('blog', { org, access: { mode } })
    const { settings } = await place({ 'GET /projects/blog': { body: detail } })
    for (const args of [['password'], ['password', 'status']])
      expect(await svc(args, settings)).toEqual({ code: 0, stdout: text, stderr: '' })
    expect(JSON.parse((await svc(['password', '--json'], settings)).stdout)).toEqual(detail)
  })

  it('sets a password from the command line or from stdin', async () => {
    const { api, settings } = await place({ [put]: { body: { ok: true, mode: 'password' } } })
    const stdout = 'blog asks visitors for the password now, also those who knew an earlier one.\n'
    expect(await svc(['password', 'set', 'open sesame'], settings)).toEqual({ code: 0, stdout, stderr: '' })
    for (const stdin of ['from stdin\n', 'from stdin\r\n', 'from stdin', 'two\nlines\n\n'])
      expect(await svc(['password', 'set', '-'], { ...settings, stdin })).toMatchObject({ code: 0 })
    expect(api.calls.map(({ body }) => JSON.parse(body.toString()).password)).toEqual([
      'open sesame',
      'from stdin',
      'from stdin',
      'from stdin',
      'two\nlines\n',
    ])
  })

  it('sends no password that is too short, too long or missing', async () => {
    const { api, settings } = await place({})
    const length = 'svc: The password must have 4 to 128 characters.\n'
    for (const password of ['abc', 'x'.repeat(129)])
      expect((await svc(['password', 'set', password], settings)).stderr).toBe(length)
    const tooMuch = { stdin: 'x'.repeat(1000), stdinStaysOpen: true }
    for (const input of [{ stdin: 'x'.repeat(129) }, tooMuch])
      expect((await svc(['password', 'set', '-'], { ...settings, ...input })).stderr).toBe(length)
    for (const stdin of ['', '\n'])
      expect(await svc(['password', 'set', '-'], { ...settings, stdin })).toEqual({
        code: 1,
        stdout: '',
        stderr: 'svc: Expected the password on stdin, but nothing came.\n',
      })
    expect((await svc(['password', 'set'], settings)).stderr).toBe(
      'svc: Usage: svc password set <password>\n',
    )
    expect(api.calls).toEqual([])
  })

  it('sets, removes and shows what holds for previews alone', async () => {
    const previews = { body: { ok: true, mode: 'password' } }
    const detail = project('blog', {
      org: 'acme',
      access: { mode: 'public' },
      preview_access: { mode: 'org' },
    })
    const { api, settings } = await place({
      'PUT /projects/blog/access/previews': previews,
      'GET /projects/blog': { body: detail },
    })
    for (const args of [['set', 'open sesame'], ['members'], ['rm']])
      expect(await svc(['password', ...args, '--previews'], settings)).toMatchObject({ code: 0, stderr: '' })
    expect(api.calls.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { mode: 'password', password: 'open sesame' },
      { mode: 'org' },
      { mode: 'site' },
    ])
    expect((await svc(['password'], settings)).stdout).toContain(
      'Its previews are open to the members of acme alone.',
    )
  })

  it('removes the password', async () => {
    const { settings } = await place({
      'DELETE /projects/blog/password': { body: { ok: true, mode: 'public' } },
    })
    for (const word of ['rm', 'remove', 'delete'])
      expect(await svc(['password', word], settings)).toEqual({
        code: 0,
        stdout: 'blog is public now.\n',
        stderr: '',
      })
  })

  it('asks at a terminal without showing what is typed', async () => {
    const api = await standIn({ 'PUT /projects/blog/password': { body: { ok: true, mode: 'password' } } })
    const raw = "data:text/javascript,process.stdin.setRawMode=on=>process.stderr.write('['.concat(on,']'))"
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NODE_OPTIONS: `--import=${raw}` }
    const ask = (typed: string) =>
      svc(['password', 'set', '-', '--project', 'blog'], { env, terminal: true, stdin: typed })
    const { code, stderr } = await ask('sesame\x7f\x7fme\r')
    expect(code).toBe(0)
    expect(stderr).toBe('[true]Password: [false]\n')
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ password: 'sesame' })
    const interrupted = await ask('ses\x03ame\r')
    expect(interrupted.code).toBe(1)
    expect(interrupted.stderr).toContain('Nothing was changed.')
    const endlessly = await ask('x'.repeat(5000))
    expect(endlessly.stderr).toContain('That is longer than 4096 characters. Nothing was changed.')
    expect(api.calls).toHaveLength(1)
  })
})
