import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'
import { beginUpload } from '../testing/slow-upload.ts'

const day = 24 * 3_600_000

onEveryServer(server => {
  const share = async (
    token: string,
    query = '',
    files: Record<string, string> = { 'index.html': 'hello' },
  ) =>
    server().request(`/shares${query}`, {
      method: 'POST',
      token,
      body: archiveOf(files),
      headers: { 'content-type': 'application/gzip' },
    })
  const list = async (token: string, query = '') =>
    (await server().request(`/shares${query}`, { token })).json as {
      shares: { name: string }[]
      next_cursor: string | null
    }
  const remove = (token: string, name: string) =>
    server().request(`/shares/${name}`, { method: 'DELETE', token })
  const packsOf = async (deploymentId: string) =>
    (await readdir(path.join(server().dataDir, 'packs'))).filter(file => file.includes(deploymentId))
  const sharesOf = (accountId: string) =>
    server()
      .running.platform.store.db.selectFrom('projects')
      .select('id')
      .where('account_id', '=', accountId)
      .execute()

  it('a share is live at its own URL when the upload is answered', async () => {
    const { token } = await server().account()
    const { status, json } = await share(token)
    expect(status).toBe(201)
    expect(json).toEqual({
      name: expect.stringMatching(/^tmp-[a-z0-9]{10}$/),
      url: server().running.urls.site(json.name),
      deployment_id: expect.stringMatching(/^dep_[a-z0-9]{16}$/),
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      warnings: [],
    })
    expect(Date.parse(json.expires_at) - Date.parse(json.created_at)).toBe(7 * day)
    const shown = await server().site(json.name)
    expect([shown.status, shown.text, shown.headers['x-robots-tag']]).toEqual([200, 'hello', 'noindex'])
    const { warnings: _, ...listed } = json
    expect((await list(token)).shares).toEqual([listed])
  })

  it('the API warns of rule lines in a share that it cannot apply', async () => {
    const { token } = await server().account()
    const { json } = await share(token, '', { 'index.html': 'x', _redirects: '/only-a-source\n' })
    expect(json.warnings).toEqual([expect.stringContaining('_redirects')])
  })

  it('a share is no project', async () => {
    const { token } = await server().account()
    const { name } = (await share(token)).json
    expect((await server().request('/projects', { token })).json.projects).toEqual([])
    expect((await server().request(`/projects/${name}`, { token })).status).toBe(404)
    expect((await server().request(`/projects/${name}`, { method: 'DELETE', token })).status).toBe(404)
    expect((await server().upload(token, name, archiveOf({ a: 'a' }))).status).toBe(404)
  })

  it('a share is not served any more once it has expired, and the next sweep removes its files', async () => {
    const { token, id } = await server().account()
    const short = (await share(token, '?ttl=1')).json
    const long = (await share(token, '?ttl=30')).json
    const permanent = `${short.deployment_id.replace('_', '-')}--${short.name}`
    expect((await server().site(permanent)).text).toBe('hello')
    server().clock.advance(day)
    expect((await server().site(short.name)).status).toBe(404)
    expect((await server().site(permanent)).status).toBe(404)
    expect((await list(token)).shares.map(s => s.name)).toEqual([long.name])
    expect((await remove(token, short.name)).status).toBe(404)
    await sweep(server().running.platform)
    await eventually(async () => (await packsOf(short.deployment_id)).length === 0)
    expect(await sharesOf(id)).toHaveLength(1)
    expect((await server().site(long.name)).text).toBe('hello')
  })

  it.each(['0', '31', '1.5', '-1', '', 'week', '1e1', '07000000'])(
    'the API refuses the ttl %j before it reads the body',
    async ttl => {
      const { token, id } = await server().account()
      const { status, json } = await server().request(`/shares?ttl=${ttl}`, {
        method: 'POST',
        token,
        // The test sends no body. An answer proves that the server did not wait for it.
        headers: { 'content-type': 'application/gzip', 'content-length': '1000', expect: '100-continue' },
      })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      expect(json.error.message).toContain('ttl')
      expect(await sharesOf(id)).toEqual([])
    },
  )

  it('a share is refused by type and declared size before it is read', async () => {
    const { token, id } = await server().account()
    const send = (headers: Record<string, string>) =>
      server().request('/shares', { method: 'POST', token, body: Buffer.alloc(0), headers })
    expect((await send({ 'content-type': 'application/zip' })).json.error.code).toBe('unsupported_media_type')
    const size = String(100 * 1024 * 1024 + 1)
    expect((await send({ 'content-type': 'application/gzip', 'content-length': size })).json.error.code).toBe(
      'payload_too_large',
    )
    expect(await sharesOf(id)).toEqual([])
  })

  it('a share leaves nothing behind if its archive is not valid or its upload breaks off', async () => {
    const { token, id } = await server().account()
    const bad = await server().request('/shares', {
      method: 'POST',
      token,
      body: Buffer.from('not gzip'),
      headers: { 'content-type': 'application/gzip' },
    })
    expect([bad.status, bad.json.error.code]).toEqual([400, 'invalid_archive'])
    expect(await sharesOf(id)).toEqual([])

    const cut = beginUpload(server(), token, '/shares', archiveOf({ 'index.html': 'x'.repeat(5000) }))
    await eventually(async () => (await sharesOf(id)).length === 1)
    expect((await list(token)).shares).toEqual([])
    cut.cut()
    await eventually(async () => (await sharesOf(id)).length === 0)
  })

  it('a share that was never uploaded, because its node died, is removed by the sweeper', async () => {
    const { token, id } = await server().account()
    const dead = beginUpload(server(), token, '/shares', archiveOf({ 'index.html': 'x'.repeat(5000) }))
    await eventually(async () => (await sharesOf(id)).length === 1)
    await sweep(server().running.platform)
    expect(await sharesOf(id)).toHaveLength(1)
    server().clock.advance(4 * 3_600_000)
    await sweep(server().running.platform)
    expect(await sharesOf(id)).toEqual([])
    expect((await dead.finish()).status).toBe(404)
  })

  it('a share is deleted at once by its owner alone', async () => {
    const { token } = await server().account()
    const other = await server().account()
    const { name, deployment_id } = (await share(token)).json
    expect((await list(other.token)).shares).toEqual([])
    expect((await remove(other.token, name)).status).toBe(404)
    expect((await server().site(name)).text).toBe('hello')
    expect((await remove(token, name)).json).toEqual({ ok: true })
    expect((await server().site(name)).status).toBe(404)
    expect((await remove(token, name)).status).toBe(404)
    await eventually(async () => (await packsOf(deployment_id)).length === 0)
  })

  it('a project cannot be deleted as a share', async () => {
    const { token } = await server().account()
    const name = `p-${Math.random().toString(36).slice(2, 12)}`
    await server().request('/projects', { method: 'POST', token, body: { name } })
    await server().upload(token, name, archiveOf({ 'index.html': 'stays' }))
    expect((await remove(token, name)).status).toBe(404)
    expect((await server().site(name)).text).toBe('stays')
  })

  it('shares are listed newest first, page by page', async () => {
    const { token } = await server().account()
    const names: string[] = []
    for (let i = 0; i < 3; i++) {
      server().clock.advance(1)
      names.unshift((await share(token)).json.name)
    }
    const first = await list(token, '?limit=2')
    const second = await list(token, `?limit=2&cursor=${first.next_cursor}`)
    expect([...first.shares, ...second.shares].map(s => s.name)).toEqual(names)
    expect(second.next_cursor).toBeNull()
  })

  it('an account has at most 100 shares, also with uploads at the same time', async () => {
    const { token, id } = await server().account()
    const { db } = server().running.platform.store
    const now = server().clock.now()
    for (let i = 0; i < 98; i++)
      await db
        .insertInto('projects')
        .values({
          id: `prj_${id.slice(4, 16)}${String(i).padStart(4, '0')}`,
          name: `tmp-${id.slice(4, 12)}${String(i).padStart(2, '0')}`,
          account_id: id,
          org_id: null,
          active_deployment_id: null,
          expires_at: now + day,
          created_at: now,
          active_at: null,
          access_mode: 'public',
          password_hash: null,
          access_generation: 0,
        })
        .execute()
    const answers = await Promise.all([share(token), share(token), share(token), share(token)])
    expect(answers.map(a => a.status).sort()).toEqual([201, 201, 402, 402])
    expect(answers.find(a => a.status === 402)!.json.error.code).toBe('quota_exceeded')
    server().clock.advance(day)
    expect((await share(token)).status).toBe(201)
  })
})
