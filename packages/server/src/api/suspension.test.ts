// Suspended projects and accounts: what visitors get, and what is refused.
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startDue } from '../core/crons/run.ts'
import { platformAdmin } from '../testing/admins.ts'
import { aiToken, chat, openAi } from '../testing/ai.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { archiveOf } from '../testing/archives.ts'
import { newCronSite } from '../testing/crons.ts'
import { eventually } from '../testing/eventually.ts'
import { newGitProject } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite, setPassword } from '../testing/sites.ts'
import { freshName, makeTeam } from '../testing/team.ts'

/** It takes upgrades, answers with a stream that never ends, and ignores SIGTERM. */
const stubbornProgram = `
process.on('SIGTERM', () => undefined)
const server = require('node:http').createServer((req, res) => {
  if (req.url === '/stream') return res.write('first')
  res.end('app')
})
server.on('upgrade', (_, socket) => {
  socket.on('error', () => undefined)
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n')
})
server.listen(process.env.PORT, process.env.HOSTNAME)
`

/** The end may come with an error, such as ECONNRESET. */
const closeOf = (stream: Socket | IncomingMessage): Promise<unknown> =>
  new Promise(resolve => stream.on('error', () => undefined).on('close', resolve))

const reason = 'Phishing <b>reported</b> & confirmed'

onEveryServer(server => {
  const suspendProject = async (name: string, body: object = { reason }) =>
    send(server(), `PUT /admin/projects/${name}/suspension`, await platformAdmin(server()), body)
  const resumeProject = async (name: string) =>
    send(server(), `DELETE /admin/projects/${name}/suspension`, await platformAdmin(server()))
  const suspendAccount = async (login: string, body: object = { reason }) =>
    send(server(), `PUT /admin/users/${login}/suspension`, await platformAdmin(server()), body)
  /** Resolves when the app has answered 101. */
  async function openTunnel(name: string): Promise<{ closed: Promise<unknown> }> {
    const socket = connect(server().running.port, '127.0.0.1')
    const closed = closeOf(socket)
    socket.write(`GET / HTTP/1.1\r\nHost: ${name}.localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`)
    const [head] = await once(socket, 'data')
    expect(String(head)).toMatch(/^HTTP\/1\.1 101 /)
    socket.resume()
    return { closed }
  }

  /** Resolves when the first bytes of the answer are there. */
  async function openStream(name: string): Promise<{ closed: Promise<unknown> }> {
    const { port } = server().running
    const asked = get({ host: '127.0.0.1', port, path: '/stream', headers: { host: `${name}.localhost` } })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const closed = closeOf(answer)
    asked.on('error', () => undefined)
    await once(answer, 'data')
    answer.resume()
    return { closed }
  }

  const statusOf = async (label: string) => (await server().site(label)).status

  async function ownSite() {
    const owner = await server().account()
    return { owner, name: await deploySite(server(), owner.token, { 'index.html': 'here' }) }
  }

  describe('visitors of a suspended project', () => {
    it('get the status and the escaped reason at production, previews and permanent URLs, and the site again when it is resumed', async () => {
      const { owner, name } = await ownSite()
      const branch = await server().upload(owner.token, name, archiveOf({ 'index.html': 'b' }), '?branch=new')
      expect(branch.status).toBe(201)
      const hosts = [branch.json.url, branch.json.permanent_url].map(
        url => new URL(url).hostname.split('.')[0]!,
      )
      for (const host of [name, ...hosts]) expect(await statusOf(host)).toBe(200)
      const answer = await suspendProject(name, { reason, status: 451 })
      expect(answer.json).toEqual({ suspended: { status: 451, reason, at: expect.any(String) } })
      for (const host of [name, ...hosts]) {
        const page = await server().site(host)
        expect([page.status, page.headers['cache-control']]).toEqual([451, 'private, no-store'])
        expect(page.text).toContain('Phishing &#60;b&#62;reported&#60;/b&#62; &#38; confirmed')
        const json = await server().site(host, '/', { headers: { accept: 'application/json' } })
        expect(json.json.error).toMatchObject({ code: 'suspended', message: reason })
      }
      expect((await server().site(name, '/', { method: 'POST', body: 'a=b' })).status).toBe(451)
      expect((await resumeProject(name)).status).toBe(200)
      for (const host of [name, ...hosts]) expect(await statusOf(host)).toBe(200)
    })

    it('get it at once on a connection whose hot pages a fast lane answered', async () => {
      const { name } = await ownSite()
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      onTestFinished(() => agent.destroy())
      const ports = new Set<number | undefined>()
      const visit = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const { port } = server().running
          get({ host: '127.0.0.1', port, agent, headers: { host: `${name}.localhost` } }, res => {
            ports.add(res.socket.localPort)
            res.resume().on('end', () => resolve(res.statusCode))
          }).on('error', reject)
        })
      for (let i = 0; i < 3; i++) expect(await visit()).toBe(200)
      await suspendProject(name)
      expect([await visit(), await visit()]).toEqual([503, 503])
      await resumeProject(name)
      expect(await visit()).toBe(200)
      expect(ports.size).toBe(1)
    })

    it('get it at a custom domain', async () => {
      const { owner, name } = await ownSite()
      const domain = `${freshName()}.example.org`
      expect((await send(server(), `POST /projects/${name}/domains`, owner, { domain })).status).toBe(201)
      const ask = () => server().request('/', { host: domain })
      expect((await ask()).status).toBe(200)
      await suspendProject(name)
      expect((await ask()).status).toBe(503)
    })

    it('get it instead of the password page', async () => {
      const { owner, name } = await ownSite()
      await setPassword(server(), owner.token, name, 'open sesame')
      await suspendProject(name)
      expect(await statusOf(name)).toBe(503)
    })
  })

  describe('a suspended project', () => {
    it('refuses deploys, activations, promotions and transfers with the reason, and its owner sees why', async () => {
      const { owner, name } = await ownSite()
      const path = `/projects/${name}` as const
      const { deployments } = (await send(server(), `GET ${path}`, owner)).json
      expect((await send(server(), `GET ${path}`, owner)).json.suspended).toBeNull()
      await suspendProject(name)
      const detail = (await send(server(), `GET ${path}`, owner)).json
      expect(detail.suspended).toEqual({ status: 503, reason, at: expect.any(String) })
      const upload = await server().upload(owner.token, name, archiveOf({ 'index.html': 'new' }))
      expect(refusal(upload)).toBe('403 suspended')
      expect(upload.json.error.message).toContain(reason)
      const { id } = deployments[0]
      expect(refusal(await send(server(), `POST ${path}/deployments/${id}/activate`, owner))).toBe(
        '403 suspended',
      )
      expect(refusal(await send(server(), `POST ${path}/deployments/${id}/promote`, owner))).toBe(
        '403 suspended',
      )
      const org = freshName()
      await send(server(), 'POST /orgs', owner, { name: org })
      expect(refusal(await send(server(), `POST ${path}/transfer`, owner, { org }))).toBe('403 suspended')
      await resumeProject(name)
      expect((await server().upload(owner.token, name, archiveOf({ 'index.html': 'new' }))).status).toBe(201)
      expect((await server().site(name)).text).toBe('new')
    })

    it('builds nothing: not by a push, not by a hook, not by hand', async () => {
      const project = await newGitProject(server())
      onTestFinished(() => project.copy.remove())
      await project.copy.commit({ 'index.html': 'by git' }, 'first [skip ci]')
      await project.push('main')
      const hook = (await send(server(), `POST ${project.path}/hooks`, project.owner, { name: 'CMS' })).json
      await suspendProject(project.name)
      const path = new URL(hook.url).pathname as `/${string}`
      expect(refusal(await server().request(path, { method: 'POST' }))).toBe('403 suspended')
      expect(refusal(await send(server(), `POST ${project.path}/builds`, project.owner, {}))).toBe(
        '403 suspended',
      )
      await project.copy.commit({ 'index.html': 'again' }, 'second')
      const pushed = await project.push('main')
      expect(pushed.stderr).toContain(reason)
      expect(await project.builds()).toEqual([])
    })

    it('ends its running app with open WebSockets and streams at once, also if the app ignores SIGTERM, and starts none', async () => {
      const app = await TestApp.create(server())
      const deploymentId = await app.deploy(procfileApp('app', stubbornProgram))
      const ends = [await openTunnel(app.name), await openStream(app.name)]
      await suspendProject(app.name)
      await Promise.all(ends.map(({ closed }) => closed))
      expect(new Set(await app.states(deploymentId))).toEqual(new Set(['stopped']))
      await expect(app.address(deploymentId)).rejects.toMatchObject({ code: 'suspended' })
      await eventually(async () => {
        const log = await send(server(), `GET /projects/${app.name}/logs`, app)
        return log.text.includes('The app was stopped, because its project is suspended.')
      })
      await resumeProject(app.name)
      expect((await server().site(app.name)).text).toBe('app')
    })

    it('refuses to restart its app', async () => {
      const app = await TestApp.create(server())
      await app.deploy(procfileApp())
      await suspendProject(app.name)
      const restart = () =>
        server().request(`/projects/${app.name}/restart`, { method: 'POST', token: app.token })
      expect(refusal(await restart())).toBe('403 suspended')
      await resumeProject(app.name)
      expect((await restart()).status).toBe(200)
    })

    it('runs no scheduled job', async () => {
      const { owner, name, crons, add, runs } = await newCronSite(server())
      const { id } = (await add({ schedule: '* * * * *', path: '/tick' })).json
      await suspendProject(name)
      expect(refusal(await send(server(), `POST ${crons}/${id}/run`, owner))).toBe('403 suspended')
      const { platform } = server().running
      const { db } = platform.store
      await db.updateTable('crons').set({ next_run_at: server().clock.now() }).where('id', '=', id).execute()
      const portion = { atMost: 100, ofProject: 100, withoutProjects: [] }
      const started: string[] = []
      await startDue(platform, portion, new AbortController().signal, run => started.push(run.projectId))
      const row = await db.selectFrom('crons').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      expect(started).toEqual([])
      expect(Number(row.next_run_at)).toBeGreaterThan(server().clock.now())
      expect(await runs(id)).toEqual([])
    })

    it('loses its suspension with its deletion, so that the name is free', async () => {
      const { owner, name } = await ownSite()
      await suspendProject(name)
      expect((await send(server(), `DELETE /projects/${name}`, owner)).status).toBe(200)
      const admin = await platformAdmin(server())
      const { suspensions } = (await send(server(), 'GET /admin/suspensions', admin)).json
      expect(suspensions.map((row: { name: string }) => row.name)).not.toContain(name)
    })
  })

  describe('a suspended account', () => {
    it('has all personal sites suspended, not those of its orgs, and can still sign in', async () => {
      const { owner, org } = await makeTeam(server())
      const own = await deploySite(server(), owner.token, { 'index.html': 'own' })
      const ofOrg = await deploySite(server(), owner.token, { 'index.html': 'org' }, org)
      expect([await statusOf(own), await statusOf(ofOrg)]).toEqual([200, 200])
      expect((await suspendAccount(owner.login.toUpperCase())).status).toBe(200)
      expect([await statusOf(own), await statusOf(ofOrg)]).toEqual([503, 200])
      expect((await send(server(), `GET /projects/${own}`, owner)).json.suspended.reason).toBe(reason)
      const later = freshName()
      await send(server(), 'POST /projects', owner, { name: later })
      expect(refusal(await server().upload(owner.token, later, archiveOf({ a: 'b' })))).toBe('403 suspended')
      const admin = await platformAdmin(server())
      await send(server(), `DELETE /admin/users/${owner.login}/suspension`, admin)
      expect(await statusOf(own)).toBe(200)
    })

    it('gets 403 for AI calls', async () => {
      const { id, login } = await server().account()
      const ai = openAi(server(), await aiToken(server(), id), { maxRetries: 0 })
      await suspendAccount(login)
      const call = ai.chat.completions.create(chat('any'))
      await expect(call).rejects.toMatchObject({ status: 403, code: 'suspended' })
      await expect(call).rejects.toThrow(reason)
    })
  })

  it('the operator lists suspensions, and a second one replaces the first', async () => {
    const { name } = await ownSite()
    await suspendProject(name)
    await suspendProject(name, { reason: 'Other', status: 451 })
    const admin = await platformAdmin(server())
    const { suspensions } = (await send(server(), 'GET /admin/suspensions', admin)).json
    expect(suspensions.filter((row: { name: string }) => row.name === name)).toEqual([
      { kind: 'project', name, status: 451, reason: 'Other', at: expect.any(String) },
    ])
  })

  it('only platform admins suspend, with a known status and a reason', async () => {
    const { owner, name } = await ownSite()
    const path = `PUT /admin/projects/${name}/suspension` as const
    expect(refusal(await send(server(), path, owner, { reason }))).toBe('403 forbidden')
    for (const body of [
      {},
      { reason: ' ' },
      { reason: 'a\nb' },
      { reason: 'x'.repeat(501) },
      { reason, status: 200 },
    ])
      expect(refusal(await suspendProject(name, body))).toBe('400 invalid_request')
    expect(refusal(await suspendProject('no-such-project'))).toBe('404 not_found')
    expect(refusal(await resumeProject(name))).toBe('404 not_found')
    expect(await statusOf(name)).toBe(200)
  })
})
