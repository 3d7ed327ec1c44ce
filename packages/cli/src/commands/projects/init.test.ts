import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, refusal, send, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const taken = refusal('name_taken', 'Taken.', 409)
const link = (cwd: string) => readFileSync(join(cwd, 'svc.json'), 'utf8')

describe('svc init', () => {
  it('creates the project and links the directory', async () => {
    const api = await standIn({ 'POST /projects': { status: 201, body: project('blog') } })
    const cwd = temporaryDirectory()
    const result = await svc(['init', 'blog'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(result).toEqual({
      code: 0,
      stdout:
        "Created blog and linked this directory to it (svc.json).\n'svc deploy' puts it live at http://blog.localhost:8080\n",
      stderr: '',
    })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ name: 'blog' })
    expect(link(cwd)).toBe('{\n  "project": "blog"\n}\n')
  })

  it('writes the files of a template, and none over a file that is there', async () => {
    const api = await standIn({
      'POST /projects': { status: 201, body: project('blog') },
      'GET /templates/html': {
        body: {
          files: [
            { path: 'index.html', content: 'hi' },
            { path: 'css/a.css', content: '' },
          ],
        },
      },
    })
    const cwd = temporaryDirectory()
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const result = await svc(['init', 'blog', '--template', 'html'], { cwd, env })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('Wrote 2 files of the template html.')
    expect(readFileSync(join(cwd, 'index.html'), 'utf8')).toBe('hi')
    expect(existsSync(join(cwd, 'css/a.css'))).toBe(true)
    const calls = api.calls.length
    const again = await svc(['init', 'other', '--template', 'html'], { cwd, env })
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toContain('index.html, css/a.css')
    expect(api.calls).toHaveLength(calls + 1)
  })

  it.each(['../x', '/etc/x', 'a/../../x', 'a\\b', 'c:x'])(
    'writes no file of a template outside of the directory: %s',
    async path => {
      const api = await standIn({ 'GET /templates/odd': { body: { files: [{ path, content: '' }] } } })
      const cwd = temporaryDirectory()
      const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
      const result = await svc(['init', 'blog', '--template', 'odd'], { cwd, env })
      expect(result.code).toBe(1)
      expect(result.stderr).toContain('outside of this directory')
      expect(readdirSync(cwd)).toEqual([])
    },
  )

  it("takes the directory's name when none is given, and the org", async () => {
    const api = await standIn({ 'POST /projects': { status: 201, body: project('my-site') } })
    const cwd = join(temporaryDirectory(), 'My Site')
    mkdirSync(cwd)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['init', '--org', 'acme'], { cwd, env })).toMatchObject({ code: 0 })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ name: 'my-site', org: 'acme' })
  })

  it('stops in a directory that is linked already, unless a name is given', async () => {
    const api = await standIn({ 'POST /projects': { status: 201, body: project('shop') } })
    const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog","theme":"dark"}' })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['init'], { cwd, env })).toEqual({
      code: 0,
      stdout: 'This directory is already linked to blog.\n',
      stderr: '',
    })
    expect(api.calls).toEqual([])
    expect(await svc(['init', 'shop'], { cwd, env })).toMatchObject({ code: 0 })
    expect(JSON.parse(link(cwd))).toEqual({ project: 'shop', theme: 'dark' })
  })

  it('links a project of that name which the user can see', async () => {
    const api = await standIn({ 'POST /projects': taken, 'GET /projects/blog': { body: project('blog') } })
    const cwd = temporaryDirectory()
    const result = await svc(['init', 'blog'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(result).toMatchObject({ code: 0 })
    expect(result.stdout).toMatch(/^Found blog and linked/)
    expect(JSON.parse(link(cwd))).toEqual({ project: 'blog' })
  })

  it("fails when the name is someone else's, and links nothing", async () => {
    const api = await standIn({
      'POST /projects': taken,
      'GET /projects/blog': refusal('not_found', 'No such project.', 404),
    })
    const cwd = temporaryDirectory()
    expect(await svc(['init', 'blog'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })).toEqual({
      code: 1,
      stdout: '',
      stderr: "svc: The name 'blog' is already taken. Choose another: svc init <name>\n",
    })
    expect(existsSync(join(cwd, 'svc.json'))).toBe(false)
  })

  it('refuses a name before asking the API', async () => {
    const { code, stderr } = await svc(['init', 'My_Site'], { env: { SVC_TOKEN: token } })
    expect(code).toBe(1)
    expect(stderr).toBe("svc: Invalid project name 'My_Site': use 3 to 40 characters of a-z, 0-9 and -.\n")
  })

  it.runIf(process.platform === 'linux')('makes no project where the link cannot be written', async () => {
    const api = await standIn({ 'POST /projects': { status: 201, body: project('blog') } })
    const { code, stdout, stderr } = await svc(['init', 'blog'], {
      cwd: '/proc',
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^svc: Cannot write svc\.json: .*\.\n$/)
    expect(api.calls).toEqual([])
  })

  it('leaves no project behind if the link cannot be written after all', async () => {
    const cwd = temporaryDirectory()
    const api = await standIn({
      'POST /projects': (_, response) => {
        mkdirSync(join(cwd, 'svc.json', 'in-the-way'), { recursive: true })
        send(response, { status: 201, body: project('blog') })
      },
      'DELETE /projects/blog': { body: { ok: true } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['init', 'blog'], { cwd, env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Cannot write svc.json: is a directory.\n',
    })
    expect(api.keys()).toEqual(['POST /projects', 'DELETE /projects/blog'])
  })

  it('never deletes a project that it found', async () => {
    const cwd = temporaryDirectory()
    const api = await standIn({
      'POST /projects': taken,
      'GET /projects/blog': (_, response) => {
        mkdirSync(join(cwd, 'svc.json', 'in-the-way'), { recursive: true })
        send(response, { body: project('blog') })
      },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['init', 'blog'], { cwd, env })).toMatchObject({ code: 1 })
    expect(api.keys()).toEqual(['POST /projects', 'GET /projects/blog'])
  })

  it('leaves the directory as it was where the project cannot be made', async () => {
    const api = await standIn({ 'POST /projects': refusal('quota_exceeded', 'No more.', 402) })
    const cwd = temporaryDirectory()
    expect(
      await svc(['init', 'blog'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } }),
    ).toMatchObject({
      code: 1,
    })
    expect(readdirSync(cwd)).toEqual([])
  })
})
