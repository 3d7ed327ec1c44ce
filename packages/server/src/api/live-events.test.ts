// GET /events: who hears what, when a stream ends, and how many there may be.
import { expect, it } from 'vitest'
import { liveLimits } from '../core/platform/live-events.ts'
import { archiveOf } from '../testing/archives.ts'
import { openEvents } from '../testing/event-stream.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  const readers = () => server().running.platform.liveEvents.size

  it('a stream begins with ready, and proxies are told not to keep it back', async () => {
    const { token } = await server().account()
    const stream = await openEvents(server(), token)
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.headers.get('cache-control')).toContain('no-transform')
    expect(await stream.next()).toEqual({ event: 'ready', data: {} })
  })

  it('a new project, an upload, a refused upload and a deleted project are heard', async () => {
    const { token } = await server().account()
    const stream = await openEvents(server(), token)
    await stream.next()
    const heard = collect(stream)
    const name = freshName()
    await server().client(token)('POST /projects', { body: { name } })
    await heard.until({ topic: 'workspace', project: null })
    await heard.until({ topic: 'project', project: name })
    const { json } = await server().upload(token, name, archiveOf({ 'index.html': 'hello' }))
    await heard.until({ topic: 'deployment', project: name, id: json.deployment_id })
    await heard.until({ topic: 'project', project: name })
    expect((await server().upload(token, name, Buffer.from('no archive'))).status).toBe(400)
    await heard.until({ topic: 'deployment', project: name })
    await server().client(token)('DELETE /projects/:name', { params: { name } })
    await heard.until({ topic: 'workspace', project: null })
  })

  it('scheduled jobs and domains are heard, also when they are removed', async () => {
    const { token } = await server().account()
    const name = freshName()
    const call = server().client(token)
    await call('POST /projects', { body: { name } })
    const stream = await openEvents(server(), token)
    await stream.next()
    const heard = collect(stream)
    const params = { name }
    const cron = await call('POST /projects/:name/crons', {
      params,
      body: { schedule: '0 0 1 1 *', path: '/' },
    })
    await heard.until({ topic: 'cron', project: name })
    await call('DELETE /projects/:name/crons/:id', { params: { name, id: cron.id } })
    await heard.until({ topic: 'cron', project: name })
    const domain = `${freshName()}.example.com`
    await call('POST /projects/:name/domains', { params, body: { domain } })
    await heard.until({ topic: 'domain', project: name, id: domain })
    await call('DELETE /projects/:name/domains/:domain', { params: { name, domain } })
    await heard.until({ topic: 'project', project: name })
  })

  it('members hear what happens in their org, and nobody else does', async () => {
    const team = await makeTeam(server())
    const [inside, narrowed, outside] = await Promise.all([
      openEvents(server(), team.member.token),
      openEvents(server(), team.member.token, `?org=${team.org}`),
      openEvents(server(), team.outsider.token),
    ])
    for (const stream of [inside, narrowed, outside]) expect((await stream.next())?.event).toBe('ready')
    const [name, own] = [freshName(), freshName()]
    await server().client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
    await collect(inside).until({ topic: 'project', project: name })
    await collect(narrowed).until({ topic: 'project', project: name })
    // The outsider's first event is of their own project, which was created later.
    await server().client(team.outsider.token)('POST /projects', { body: { name: own } })
    const { data } = (await outside.next())!
    expect([null, own]).toContain((data as { project: string | null }).project)
    expect((await openEvents(server(), team.outsider.token, `?org=${team.org}`)).status).toBe(404)
  })

  it('a stream ends when its token is revoked, and sends nothing that happens after that', async () => {
    const { token } = await server().account()
    const other = await server().client(token)('POST /tokens', { body: { kind: 'cli', label: 'other' } })
    const stream = await openEvents(server(), other.token)
    await stream.next()
    await server().client(token)('DELETE /tokens/:id', { params: { id: other.id } })
    await server().client(token)('POST /projects', { body: { name: freshName() } })
    expect(await stream.next()).toBeUndefined()
  })

  it('a stream of an org ends with the membership, even if nothing else happens', async () => {
    const team = await makeTeam(server())
    const stream = await openEvents(server(), team.member.token, `?org=${team.org}`)
    await stream.next()
    await server().client(team.owner.token)('DELETE /orgs/:name/members/:login', {
      params: { name: team.org, login: team.member.login },
    })
    server().clock.advance(liveLimits.heartbeatMs)
    expect(await stream.next()).toBeUndefined()
  })

  it('an account has a limited number of streams, and a closed one makes room', async () => {
    const { token } = await server().account()
    const open = await Promise.all(
      Array.from({ length: liveLimits.perAccount }, () => openEvents(server(), token)),
    )
    for (const stream of open) await stream.next()
    const refused = await server().request('/events', { token })
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.headers['retry-after']).toBe('60')
    const before = readers()
    open[0]!.close()
    await eventually(() => readers() < before)
    expect((await openEvents(server(), token)).status).toBe(200)
  })

  it('a request without a token gets 401, and HEAD opens no stream', async () => {
    const { token } = await server().account()
    expect((await server().request('/events')).status).toBe(401)
    const before = readers()
    const head = await server().request('/events', { token, method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    await eventually(() => readers() <= before)
  })

  it('a reader that takes nothing is disconnected', async () => {
    const { id, token } = await server().account()
    const { liveEvents, store } = server().running.platform
    const { json } = await server().request('/tokens', { token })
    const stream = await liveEvents.open(json.tokens[0].id, id)
    stream.push(Buffer.alloc(liveLimits.unreadBytes + 1))
    store.receiveChanges([{ topic: 'workspace', key: id }])
    await eventually(() => stream.destroyed)
  })

  it('lost changes are heard as reload', async () => {
    const { token } = await server().account()
    const stream = await openEvents(server(), token)
    await stream.next()
    server().running.platform.store.receiveChanges([{ topic: 'everything' }])
    expect((await stream.next())?.event).toBe('reload')
  })
})

/** Waits for an event that has these fields, and skips others. */
const collect = (stream: Awaited<ReturnType<typeof openEvents>>) => ({
  async until(fields: object): Promise<void> {
    for (;;) {
      const next = await stream.next()
      if (!next) throw new Error(`The stream ended before ${JSON.stringify(fields)}`)
      const data = next.data as Record<string, unknown>
      if (Object.entries(fields).every(([name, value]) => data[name] === value)) return
    }
  },
})
