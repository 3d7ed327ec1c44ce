import { describe, expect, it } from 'vitest'
import { project, refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const active = { active_deployment_id: 'dep_aaaaaaaaaaaaaaaa' }
const first = { projects: [project('blog', active), project('shop')], next_cursor: 'two' }
const second = { projects: [project('team', { org: 'acme', ...active })], next_cursor: null }

describe('svc projects', () => {
  it('lists the projects of all pages, and marks those of an org', async () => {
    const api = await standIn({
      'GET /projects?limit=100': { body: first },
      'GET /projects?cursor=two&limit=100': { body: second },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['projects'], { env })).toEqual({
      code: 0,
      stdout: [
        'blog  http://blog.localhost:8080',
        'shop  http://shop.localhost:8080          not deployed yet',
        'team  http://team.localhost:8080  [acme]',
        '',
      ].join('\n'),
      stderr: '',
    })
    const { stdout } = await svc(['projects', '--json'], { env })
    expect(JSON.parse(stdout)).toEqual({
      projects: [...first.projects, ...second.projects],
      next_cursor: null,
    })
  })

  it("lists an org's, and says so when there are none", async () => {
    const none = { body: { projects: [], next_cursor: null } }
    const api = await standIn({ 'GET /projects?org=acme&limit=100': none, 'GET /projects?limit=100': none })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['projects', '--org', 'acme'], { env })).toMatchObject({
      code: 0,
      stdout: 'No projects in acme yet.\n',
    })
    expect(await svc(['projects'], { env })).toMatchObject({
      code: 0,
      stdout: "No projects yet. 'svc init' creates one.\n",
    })
  })

  it('passes on that an org is unknown', async () => {
    const api = await standIn({
      'GET /projects?org=acme&limit=100': refusal('not_found', 'No such org.', 404),
    })
    const result = await svc(['projects', '--org', 'acme'], {
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect(result).toEqual({ code: 1, stdout: '', stderr: 'svc: No such org. (not_found)\n' })
  })
})
