import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'

const newDomain = () => `www.d${randomBytes(5).toString('hex')}.example`

async function newProject(server: TestServer) {
  const { token } = await server.account()
  const name = `p-${randomBytes(5).toString('hex')}`
  await server.request('/projects', { method: 'POST', token, body: { name } })
  return { token, name }
}

onEveryServer(server => {
  const attach = (p: { token: string; name: string }, body: object) =>
    server().request(`/projects/${p.name}/domains`, { method: 'POST', token: p.token, body })
  const retarget = (p: { token: string; name: string }, domain: string, branch: string | null) =>
    server().request(`/projects/${p.name}/domains/${domain}`, {
      method: 'PUT',
      token: p.token,
      body: { branch },
    })
  const detach = (p: { token: string; name: string }, domain: string) =>
    server().request(`/projects/${p.name}/domains/${domain}`, { method: 'DELETE', token: p.token })
  const domains = async (p: { token: string; name: string }) =>
    (await server().request(`/projects/${p.name}`, { token: p.token })).json.domains
  const upload = async (p: { token: string; name: string }, text: string, query = '') =>
    (await server().upload(p.token, p.name, archiveOf({ 'index.html': text }), query)).json.deployment_id

  it('the API attaches a domain and says where to point it', async () => {
    const project = await newProject(server())
    const domain = newDomain()
    const { status, json } = await attach(project, { domain: `${domain.toUpperCase()}.` })
    expect(status).toBe(201)
    expect(json).toEqual({
      domain,
      branch: null,
      build_id: null,
      tls_ready: false,
      dns_target: 'edge.localhost',
    })
    expect(await domains(project)).toEqual([
      {
        domain,
        branch: null,
        deployment_id: null,
        tls_ready: false,
        dns_target: 'edge.localhost',
        created_at: expect.any(String),
        redirect_to: null,
        primary: false,
      },
    ])
  })

  it('attaching a domain again changes nothing but the branch, if one is given', async () => {
    const project = await newProject(server())
    const domain = newDomain()
    await attach(project, { domain, branch: 'next' })
    const again = await attach(project, { domain })
    expect([again.status, again.json.branch]).toEqual([200, 'next'])
    const other = await attach(project, { domain, branch: null })
    expect([other.status, other.json.branch]).toEqual([200, null])
    const { json } = await server().request(`/projects/${project.name}/audit`, { token: project.token })
    const actions = json.entries.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(['domain.retarget', 'domain.attach', 'project.create'])
  })

  it('a domain belongs to one project', async () => {
    const [one, two] = [await newProject(server()), await newProject(server())]
    const domain = newDomain()
    const answers = await Promise.all([attach(one, { domain }), attach(two, { domain })])
    expect(answers.map(a => a.status).sort()).toEqual([201, 409])
    expect(answers.find(a => a.status === 409)?.json.error.code).toBe('domain_taken')
    const [winner, loser] = answers[0]?.status === 201 ? [one, two] : [two, one]
    expect((await detach(loser, domain)).status).toBe(404)
    expect((await detach(winner, domain)).json).toEqual({ ok: true })
    expect((await attach(winner, { domain })).status).toBe(201)
  })

  it('a pin and a delete of the deployment at the same time cause no server error', async () => {
    const project = await newProject(server())
    const at = `/projects/${project.name}`
    for (const round of [1, 2, 3, 4, 5]) {
      const domain = newDomain()
      const deployment = await upload(project, 'preview', `?branch=b${round}`)
      await attach(project, { domain })
      const answers = await Promise.all([
        retarget(project, domain, `b${round}`),
        server().request(`${at}/deployments/${deployment}`, { method: 'DELETE', token: project.token }),
        attach(project, { domain: newDomain(), branch: `b${round}` }),
      ])
      expect(answers.filter(answer => answer.status >= 500)).toEqual([])
    }
  })

  it('changes of a domain while its project is deleted cause no server error, and leave the domain free', async () => {
    for (const _ of [1, 2, 3, 4, 5]) {
      const project = await newProject(server())
      const domain = newDomain()
      await attach(project, { domain })
      const refresh = `/projects/${project.name}/domains/${domain}/certificate/refresh`
      const answers = await Promise.all([
        attach(project, { domain: newDomain() }),
        server().request(`/projects/${project.name}`, { method: 'DELETE', token: project.token }),
        attach(project, { domain, branch: 'next' }),
        retarget(project, domain, 'other'),
        server().request(refresh, { method: 'POST', token: project.token }),
        detach(project, domain),
      ])
      expect(answers.filter(answer => answer.status >= 500)).toEqual([])
      const next = { token: project.token, name: `p-${randomBytes(5).toString('hex')}` }
      await server().request('/projects', { method: 'POST', token: next.token, body: { name: next.name } })
      expect((await attach(next, { domain })).status).toBe(201)
    }
  })

  it('the API refuses names that cannot be attached, and the production branch', async () => {
    const project = await newProject(server())
    for (const domain of [
      'localhost',
      'x.localhost',
      '10.0.0.1',
      'one',
      'a b.example',
      `${'a'.repeat(999)}.example`,
    ])
      expect((await attach(project, { domain })).json.error.code).toBe('invalid_domain')
    expect((await attach(project, { domain: newDomain(), branch: 'main' })).json.error.code).toBe(
      'invalid_branch',
    )
    const domain = newDomain()
    await attach(project, { domain })
    expect((await retarget(project, domain, 'main')).json.error.code).toBe('invalid_branch')
    expect((await retarget(project, newDomain(), 'x')).status).toBe(404)
    for (const branch of ['a b', 'a..b', 'a\u0000b', '-x'])
      expect((await retarget(project, domain, branch)).json.error.code).toBe('invalid_request')
  })

  it('a domain pins the latest deployment of the branch that it tracks', async () => {
    const project = await newProject(server())
    const domain = newDomain()
    const shown = async () => (await domains(project))[0].deployment_id
    const first = await upload(project, 'one', '?branch=next')
    await attach(project, { domain, branch: 'next' })
    expect(await shown()).toBe(first)
    const second = await upload(project, 'two', '?branch=next')
    expect(await shown()).toBe(second)
    const remove = (id: string) =>
      server().request(`/projects/${project.name}/deployments/${id}`, {
        method: 'DELETE',
        token: project.token,
      })
    const refused = await remove(second)
    expect([refused.status, refused.json.error.code]).toEqual([409, 'deployment_pinned'])
    expect((await remove(first)).status).toBe(200)
    await retarget(project, domain, null)
    expect(await shown()).toBeNull()
    expect((await remove(second)).status).toBe(200)
  })

  it('a domain shows production, and its branch once the branch has a deployment', async () => {
    const project = await newProject(server())
    const domain = newDomain()
    const show = async () => {
      const { status, text, headers } = await server().request('/', { host: `${domain.toUpperCase()}.:443` })
      return [status, status === 200 ? text : '', headers['x-robots-tag']]
    }
    expect((await show())[0]).toBe(404)
    await attach(project, { domain })
    await upload(project, 'production')
    expect(await show()).toEqual([200, 'production', undefined])
    await retarget(project, domain, 'next')
    expect(await show()).toEqual([200, 'production', undefined])
    await upload(project, 'preview one', '?branch=next')
    expect(await show()).toEqual([200, 'preview one', undefined])
    await upload(project, 'preview two', '?branch=next')
    expect(await show()).toEqual([200, 'preview two', undefined])
    await upload(project, 'production two')
    expect(await show()).toEqual([200, 'preview two', undefined])
    await retarget(project, domain, null)
    expect(await show()).toEqual([200, 'production two', undefined])
    await detach(project, domain)
    expect((await show())[0]).toBe(404)
    const other = { token: project.token, name: `p-${randomBytes(5).toString('hex')}` }
    await server().request('/projects', { method: 'POST', token: other.token, body: { name: other.name } })
    await upload(other, 'another project')
    await attach(other, { domain })
    expect((await show())[1]).toBe('another project')
  })

  it('a domain has the access mode of its project', async () => {
    const project = await newProject(server())
    const domain = newDomain()
    await upload(project, 'secret')
    await attach(project, { domain })
    expect((await server().request('/', { host: domain })).text).toBe('secret')
    const body = { password: 'open sesame' }
    await server().request(`/projects/${project.name}/password`, {
      method: 'PUT',
      token: project.token,
      body,
    })
    const guarded = await server().request('/', { host: domain })
    expect([guarded.status, guarded.text.includes('secret')]).toEqual([401, false])
  })

  it('the certificate status says which certificate a domain shows, or why none was seen', async () => {
    const project = await newProject(server())
    const domain = newDomain()
    const look = () =>
      server().request(`/projects/${project.name}/domains/${domain}/certificate`, { token: project.token })
    expect((await look()).status).toBe(404)
    await attach(project, { domain })
    expect((await look()).json).toEqual({
      domain,
      reachable: false,
      valid: false,
      issuer: null,
      subject: null,
      valid_from: null,
      valid_to: null,
      days_remaining: null,
      // Where there is no network, no server answers.
      error: expect.stringMatching(
        `^${domain} has no public address in the DNS|no DNS server answers for ${domain}$`,
      ),
      dns: {
        points_here: false,
        create: [{ type: 'CNAME', name: domain, value: 'edge.localhost' }],
        found: { cname: [], a: [], aaaa: [] },
      },
      issuance: {
        state: 'off',
        waiting_for: expect.stringContaining('SVCD_ACME_DIRECTORY'),
        last_error: null,
        next_attempt_at: null,
        expires_at: null,
      },
    })
  })

  it('the plan limits the number of domains, also for requests at the same time', async () => {
    const project = await newProject(server())
    const answers = await Promise.all(
      Array.from({ length: 27 }, () => attach(project, { domain: newDomain() })),
    )
    const statuses = answers.map(a => a.status)
    expect(statuses.filter(s => s === 201)).toHaveLength(25)
    expect(statuses.filter(s => s === 402)).toHaveLength(2)
  })
})
