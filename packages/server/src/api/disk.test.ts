import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

/** Appends to a file on its disk, or reads it. */
const notebook = `
const fs = require('node:fs'), path = require('node:path')
const file = path.join(process.env.SVC_DISK || '/nowhere', 'notes')
require('node:http').createServer((req, res) => {
  const url = new URL(req.url, 'http://app')
  if (url.pathname === '/write') fs.appendFileSync(file, url.searchParams.get('text'))
  if (url.pathname === '/fill') fs.writeFileSync(file + '2', Buffer.alloc(Number(url.searchParams.get('bytes')), 1))
  if (url.pathname === '/where') return res.end(String(process.env.SVC_DISK))
  try { res.end(process.env.NAME + ' ' + fs.readFileSync(file, 'utf8')) } catch (e) { res.end(process.env.NAME + ' ' + e.code) }
}).listen(process.env.PORT, process.env.HOSTNAME)
`

onEveryServer(server => {
  const disk = (app: TestApp, method = 'GET', body?: unknown, query = '') =>
    server().request(`/projects/${app.name}/disk${query}`, { method, token: app.token, body })

  it('a project gets a disk, which its members see and admins change', async () => {
    const app = await TestApp.create(server())
    expect((await disk(app)).json).toEqual({ disk: null, removed_until: null, previews: [] })
    const added = await disk(app, 'PUT', { size_bytes: 50_000_000, path: '/var/lib/shop' })
    expect(added.json).toMatchObject({
      disk: { size_bytes: 50_000_000, path: '/var/lib/shop', used_bytes: null, is_full: false },
      was_kept: false,
      warnings: [],
    })
    expect((await disk(app, 'PUT', { size_bytes: 60_000_000 })).json.disk).toMatchObject({
      size_bytes: 60_000_000,
      path: '/var/lib/shop',
    })
    for (const path of ['/app/x', '/etc', 'data', '/', '/data/../etc', '/proc', '/data//x'])
      expect((await disk(app, 'PUT', { path })).status).toBe(400)
  })

  it('what an app writes to its disk survives restarts and deploys', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    const first = await app.deploy(procfileApp('one', notebook))
    expect(await app.ask(first, '/write?text=a')).toBe('one a')
    await app.put('COLOR', 'red')
    await eventually(async () => expect(await app.states(first)).toEqual(['stopped', 'ready']))
    expect(await app.ask(first, '/write?text=b')).toBe('one ab')
    const second = await app.deploy(procfileApp('two', notebook))
    expect(await app.ask(second, '/write?text=c')).toBe('two abc')
    expect(await app.states(first)).not.toContain('ready')
  })

  /** Requests the site without a pause until `end`, which returns what was answered. */
  function visitors(app: TestApp, path: string) {
    const seen: string[] = []
    let isOver = false
    onTestFinished(() => {
      isOver = true
    })
    const visit = async () => {
      while (!isOver) {
        const { status, text } = await server().site(app.name, path)
        seen.push(status === 200 ? text : `${status} ${text.slice(0, 200)}`)
      }
    }
    const all = Promise.all([visit(), visit(), visit()])
    return {
      seen,
      async end() {
        isOver = true
        await all
        return seen
      },
    }
  }

  /** Keeps a file open on its disk as long as it runs, and refuses to start if another one does. */
  const alone = `
const fs = require('node:fs')
const lock = process.env.SVC_DISK + '/lock'
try { fs.mkdirSync(lock) } catch (e) { console.log('two writers'); fs.writeFileSync(process.env.SVC_DISK + '/two', ''); }
process.on('SIGTERM', () => setTimeout(() => { fs.rmdirSync(lock); process.exit(0) }, 200))
require('node:http').createServer((req, res) => res.end(process.env.NAME + (fs.existsSync(process.env.SVC_DISK + '/two') ? ' two writers' : '')))
  .listen(process.env.PORT, process.env.HOSTNAME)
`

  it('one instance has the disk at a time, and no request fails while another takes over', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    await app.deploy(procfileApp('one', alone))
    const load = visitors(app, '/')
    await eventually(async () => load.seen.includes('one'))
    await app.deploy(procfileApp('two', alone))
    await eventually(async () => load.seen.includes('two'))
    await app.put('COLOR', 'red')
    const before = load.seen.length
    await eventually(async () => load.seen.length > before + 20)
    expect(new Set(await load.end())).toEqual(new Set(['one', 'two']))
  })

  /** Answers `/wait` when the file `go` is on its disk. */
  const patient = `
const fs = require('node:fs')
const go = process.env.SVC_DISK + '/go'
require('node:http').createServer((req, res) => {
  if (req.url === '/go') fs.writeFileSync(go, '')
  if (req.url === '/begun') return res.end(String(fs.existsSync(go + 'ing')))
  if (req.url !== '/wait') return res.end(process.env.NAME)
  fs.writeFileSync(go + 'ing', '')
  const timer = setInterval(() => {
    if (!fs.existsSync(go)) return
    clearInterval(timer)
    res.end(process.env.NAME + ' waited')
  }, 20)
}).listen(process.env.PORT, process.env.HOSTNAME)
`

  it('an app that shares its disk goes on with its requests while the next version writes to the disk', async () => {
    const app = await TestApp.create(server())
    expect((await disk(app, 'PUT', { shared: true })).json.disk.is_shared).toBe(true)
    const first = await app.deploy(procfileApp('one', patient))
    const waiting = server().site(app.name, '/wait')
    await eventually(async () => (await server().site(app.name, '/begun')).text === 'true')
    const second = await app.deploy(procfileApp('two', patient))
    await eventually(async () => (await server().site(app.name)).text === 'two')
    expect(await app.states(first)).not.toContain('stopped')
    expect(await app.ask(second, '/go')).toBe('two')
    expect(await waiting).toMatchObject({ status: 200, text: 'one waited' })
    // Only an instance that has the disk alone can be copied at a deploy.
    expect((await send(server(), `GET /projects/${app.name}/disk/snapshots`, app)).json.snapshots).toEqual([])
    await send(server(), `POST /projects/${app.name}/disk/snapshots`, app)
    await eventually(
      async () =>
        (await send(server(), `GET /projects/${app.name}/disk/snapshots`, app)).json.snapshots.length === 1,
    )
    expect((await server().site(app.name)).text).toBe('two')
  })

  it('a disk that is shared no longer has one writer again from the next start on', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', { shared: true })
    await app.deploy(procfileApp('one', notebook))
    expect((await disk(app, 'PUT', { size_bytes: 60_000_000 })).json.disk.is_shared).toBe(true)
    expect((await disk(app, 'PUT', { shared: false })).json.disk.is_shared).toBe(false)
    await app.deploy(procfileApp('two', alone))
    const load = visitors(app, '/')
    await eventually(async () => load.seen.includes('two'))
    await app.deploy(procfileApp('three', alone))
    await eventually(async () => load.seen.includes('three'))
    expect(new Set(await load.end())).toEqual(new Set(['two', 'three']))
    expect((await disk(app, 'PUT', { shared: 'yes' })).status).toBe(400)
  })

  it('the former deployment gets the disk back if the new one does not start', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    const first = await app.deploy(procfileApp('one', notebook))
    await app.ask(first, '/write?text=a')
    const load = visitors(app, '/')
    await eventually(async () => load.seen.length > 0)
    expect((await app.upload(procfileApp('bad', 'process.exit(3)'))).status).not.toBe(201)
    await eventually(async () => expect((await app.states(first)).at(-1)).toBe('ready'))
    expect(new Set(await load.end())).toEqual(new Set(['one a']))
  })

  it('a rollback takes the disk, and a superseded deployment does not get it at its own URL', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    const first = await app.deploy(procfileApp('one', notebook))
    const second = await app.deploy(procfileApp('two', notebook))
    server().clock.advance(60_000)
    await expect(app.ask(first)).rejects.toThrow('does not start')
    expect(await app.ask(second, '/write?text=x')).toBe('two x')
    const path = `/projects/${app.name}/deployments/${first}/activate`
    expect((await server().request(path, { method: 'POST', token: app.token })).status).toBe(200)
    expect((await server().site(app.name)).text).toBe('one x')
    expect(await app.states(second)).not.toContain('ready')
  })

  it('each branch has a disk of its own, which goes with the project', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    const live = await app.deploy(procfileApp('live', notebook))
    await app.ask(live, '/write?text=production')
    const preview = await app.deploy(procfileApp('preview', notebook), '?branch=next')
    expect(await app.ask(preview)).toBe('preview ENOENT')
    await app.ask(preview, '/write?text=p')
    expect(await app.ask(live)).toBe('live production')
    expect(await app.states(live)).toEqual(['ready'])
    const again = await app.deploy(procfileApp('again', notebook), '?branch=next')
    expect(await app.ask(again)).toBe('again p')
    const { db } = server().running.platform.store
    const { id } = await app.detail()
    const rows = await db.selectFrom('disks').select('id').where('project_id', '=', id).execute()
    expect(rows).toHaveLength(2)
    const there = () => rows.filter(row => existsSync(path.join(server().dataDir, 'disks', row.id)))
    expect(there()).toHaveLength(2)
    await server().request(`/projects/${app.name}`, { method: 'DELETE', token: app.token })
    await eventually(async () => {
      server().clock.advance(31_000)
      return there().length === 0
    })
  })

  it('a preview begins with the newest snapshot of production if an admin wants that', async () => {
    const app = await TestApp.create(server())
    const previews = (preview_data: string) => disk(app, 'PATCH', { preview_data })
    expect((await previews('copy')).status).toBe(404)
    await disk(app, 'PUT', { size_bytes: 100 * 1024 ** 2 })
    const live = await app.deploy(procfileApp('live', notebook))
    expect((await previews('copy')).json.disk.preview_data).toBe('copy')
    const early = await app.upload(procfileApp('early', notebook), '?branch=early')
    expect(early.json.warnings).toEqual([expect.stringContaining('has no snapshot to copy')])
    expect(await app.ask(early.json.deployment_id)).toBe('early ENOENT')

    await app.ask(live, '/write?text=production')
    const at = `/projects/${app.name}/disk/snapshots`
    await server().request(at, { method: 'POST', token: app.token })
    await eventually(async () => {
      server().clock.advance(1_000)
      return (await disk(app)).json.disk.is_copying === false
    })
    await app.ask(live, '/write?text=-later')
    const preview = await app.deploy(procfileApp('preview', notebook), '?branch=next')
    expect(await app.ask(preview)).toBe('preview production')
    expect(await app.ask(preview, '/write?text=-p')).toBe('preview production-p')
    expect(await app.ask(live)).toBe('live production-later')
    // Once for each branch, and not for those that had one.
    const again = await app.deploy(procfileApp('again', notebook), '?branch=next')
    expect(await app.ask(again)).toBe('again production-p')
    expect(await app.ask(await app.deploy(procfileApp('early', notebook), '?branch=early'))).toBe(
      'early ENOENT',
    )
    expect((await disk(app)).json.previews).toMatchObject([{ branch: 'early' }, { branch: 'next' }])

    // A copy that fails fails the deployment, and the next one makes it.
    const { db } = server().running.platform.store
    const rows = await db.selectFrom('disk_snapshots').selectAll().execute()
    const lost = { ...rows[0]!, id: 'snp_0000000000000000', created_at: server().clock.now() + 1 }
    const main = await db
      .selectFrom('disks')
      .selectAll()
      .where('project_id', '=', (await app.detail()).id)
      .where('branch', '=', '')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('disk_snapshots')
      .values({ ...lost, disk_id: main.id })
      .execute()
    const failed = await app.upload(procfileApp('third', notebook), '?branch=third')
    expect([failed.status, failed.json.error.message]).toEqual([
      422,
      expect.stringContaining('was not copied'),
    ])
    // It need not wait for the copy, as the error says.
    await previews('empty')
    const empty = await app.deploy(procfileApp('third', notebook), '?branch=third')
    expect(await app.ask(empty)).toBe('third ENOENT')
    await previews('copy')
    expect((await app.upload(procfileApp('fourth', notebook), '?branch=fourth')).status).toBe(422)
    await db.deleteFrom('disk_snapshots').where('id', '=', lost.id).execute()
    expect(await app.ask(await app.deploy(procfileApp('fourth', notebook), '?branch=fourth'))).toBe(
      'fourth production',
    )
  })

  it('a preview has no disk where the plan has no room for it, and production can still be deployed', async () => {
    const app = await TestApp.create(server())
    const { gitforge_login: login } = (await send(server(), 'GET /me', app)).json
    const admin = await platformAdmin(server())
    const size_bytes = 20 * 1024 ** 2
    const limits = await send(server(), `PATCH /admin/limits/${login}`, admin, {
      stored_bytes: 50 * 1024 ** 2,
    })
    expect([limits.status, limits.text]).toEqual([200, expect.any(String)])
    expect((await disk(app, 'PUT', { size_bytes })).status).toBe(200)
    await app.deploy(procfileApp('live', notebook))
    const first = await app.upload(procfileApp('one', notebook), '?branch=one')
    expect([first.status, first.json.warnings]).toEqual([201, []])
    const second = await app.upload(procfileApp('two', notebook), '?branch=two')
    expect([second.status, second.json.warnings]).toEqual([
      201,
      [expect.stringContaining('This preview has no disk')],
    ])
    expect(await app.ask(second.json.deployment_id, '/where')).toBe('undefined')
    // With production's, those of branches grow.
    expect((await disk(app, 'PUT', { size_bytes: size_bytes * 1.4 })).status).toBe(402)
    expect(await app.ask(await app.deploy(procfileApp('again', notebook)))).toBe('again ENOENT')
  })

  it('an app that writes more than its disk may hold is ended, and runs again with a larger one', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', { size_bytes: 10 * 1024 ** 2 })
    const id = await app.deploy(procfileApp('big', notebook))
    await app.ask(id, '/fill?bytes=20000000')
    await eventually(async () => expect((await disk(app)).json.disk.is_full).toBe(true))
    await eventually(async () => expect(await app.states(id)).not.toContain('ready'))
    await expect(app.ask(id)).rejects.toThrow('does not start')
    await disk(app, 'PUT', { size_bytes: 100 * 1024 ** 2 })
    server().clock.advance(120_000)
    expect(await app.ask(id)).toBe('big ENOENT')
  })

  /** Writes more to its disk than that may hold, and does not end. */
  const overfill = `
const fs = require('node:fs')
fs.writeFileSync(process.env.SVC_DISK + '/file', Buffer.alloc(20_000_000, 1))
setInterval(() => {}, 1000)
`

  // An app that does not listen yet is ended in the same way, but may be given up before its disk is measured.
  it('a release command that writes more than the disk may hold is ended', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', { size_bytes: 10 * 1024 ** 2 })
    const files = { ...procfileApp('one', notebook), 'fill.cjs': overfill }
    const { status, json } = await app.upload(files, '?release=node+fill.cjs')
    expect([status, json.error?.message]).toEqual([422, expect.stringContaining('its disk holds more than')])
    expect((await disk(app)).json.disk.is_full).toBe(true)
  })

  it('a deleted file that an app keeps open counts until the app ends', async () => {
    const hoard = `
const fs = require('node:fs')
const name = process.env.SVC_DISK + '/file'
require('node:http').createServer((req, res) => {
  if (req.url === '/hoard') {
    const file = fs.openSync(name, 'w')
    fs.unlinkSync(name)
    fs.writeSync(file, Buffer.alloc(20_000_000, 1))
  }
  res.end(process.env.NAME)
}).listen(process.env.PORT, process.env.HOSTNAME)
`
    const app = await TestApp.create(server())
    await disk(app, 'PUT', { size_bytes: 10 * 1024 ** 2 })
    const id = await app.deploy(procfileApp('one', hoard))
    // The app may be ended before it answers.
    await app.ask(id, '/hoard').catch(() => undefined)
    await eventually(async () => expect(await app.states(id)).not.toContain('ready'))
    expect((await disk(app)).json.disk.is_full).toBe(false)
    expect(await app.ask(id)).toBe('one')
  })

  it('a removed disk comes back with its files, and needs the name of the project', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    const id = await app.deploy(procfileApp('one', notebook))
    await app.ask(id, '/write?text=kept')
    expect((await disk(app, 'DELETE', undefined, '?confirm=other')).status).toBe(400)
    const removed = await disk(app, 'DELETE', undefined, `?confirm=${app.name}`)
    expect(removed.json).toMatchObject({ removed_until: expect.any(String), restarting: true })
    await eventually(async () => expect(await app.ask(id, '/where')).toBe('undefined'))
    expect((await disk(app)).json).toMatchObject({ disk: null, removed_until: removed.json.removed_until })
    expect((await disk(app, 'PUT', {})).json.was_kept).toBe(true)
    await eventually(async () => expect(await app.ask(id)).toBe('one kept'))
  })

  it('a snapshot holds what was there, comes back, and can be downloaded', async () => {
    const app = await TestApp.create(server())
    await disk(app, 'PUT', {})
    const id = await app.deploy(procfileApp('one', notebook))
    await app.ask(id, '/write?text=a')
    const at = `/projects/${app.name}/disk/snapshots`
    const call = (method: string, more = '') => server().request(at + more, { method, token: app.token })
    const done = () =>
      eventually(async () => {
        server().clock.advance(1_000)
        const { is_copying, problem } = (await disk(app)).json.disk
        return !is_copying && problem === null
      })
    expect((await call('POST')).status).toBe(202)
    await done()
    const [snapshot] = (await call('GET')).json.snapshots
    expect(snapshot).toMatchObject({ reason: 'manual', bytes: expect.any(Number) })
    expect(await app.ask(id, '/write?text=b')).toBe('one ab')
    expect((await call('POST', `/${snapshot.id}/restore`)).status).toBe(202)
    await done()
    expect(await app.ask(id)).toBe('one a')
    expect((await call('GET')).json.snapshots.map((it: { reason: string }) => it.reason)).toEqual([
      'restore',
      'manual',
    ])
    const tar = await call('GET', `/${snapshot.id}/download`)
    expect(tar.status).toBe(200)
    expect(tar.body.includes('./notes')).toBe(true)
    expect((await call('POST', '/snp_0000000000000000/restore')).status).toBe(404)
  })
})
