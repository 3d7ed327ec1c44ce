import { describe, expect, it } from 'vitest'
import { project, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const show = 'GET /projects/blog'
const remove = 'DELETE /projects/blog'
const willing = { [show]: { body: project('blog') }, [remove]: { body: { ok: true } } }

describe('svc rm', () => {
  it('deletes the project once its name is typed', async () => {
    const api = await standIn(willing)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const result = await svc(['rm', 'blog'], { env, terminal: true, stdin: 'blog\n' })
    expect(result).toEqual({
      code: 0,
      stdout: 'Deleted blog.\n',
      stderr:
        'This deletes blog for good: its deployments, domains and settings. http://blog.localhost:8080 stops working at once.\n' +
        'Type the name of the project to delete it: ',
    })
    expect(api.keys()).toEqual([show, remove])
  })

  it.each(['', '\n', 'yes\n', 'Blog\n', 'blog'.slice(0, 3)])('deletes nothing after %j', async stdin => {
    const api = await standIn(willing)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const { code, stdout, stderr } = await svc(['rm', 'blog'], { env, terminal: true, stdin })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('svc: That is not its name. Nothing was deleted.\n')
    expect(api.keys()).toEqual([show])
  })

  it('does not ask with --yes', async () => {
    const api = await standIn(willing)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}' })
    expect(await svc(['rm', 'blog', '--yes'], { cwd, env })).toEqual({
      code: 0,
      stdout: 'Deleted blog.\n',
      stderr: 'svc.json still links this directory to it.\n',
    })
    expect(api.keys()).toEqual([remove])
  })

  it('refuses where it cannot ask, also when the name is piped in', async () => {
    const api = await standIn(willing)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['rm', 'blog'], { env, stdin: 'blog\n' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: Deleting a project asks for its name, and there is no terminal to ask at. Pass --yes.\n',
    })
    expect(api.calls).toEqual([])
  })

  it('never takes the linked project for the one that is meant', async () => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}' })
    expect((await svc(['rm', '--yes'], { cwd, env })).stderr).toBe('svc: Usage: svc rm <project>\n')
    expect(api.calls).toEqual([])
  })

  it('passes on a refusal', async () => {
    const forbidden = refusal('forbidden', "This needs the role admin in the org 'acme'.", 403)
    const api = await standIn({ [remove]: forbidden })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect((await svc(['rm', 'blog', '--yes'], { env })).stderr).toBe(
      "svc: This needs the role admin in the org 'acme'. (forbidden)\n",
    )
  })
})
