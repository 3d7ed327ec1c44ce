// Deployments, restarts and other changes during requests. No request may fail or get lost.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { makeOrg } from '../testing/orgs.ts'
import { onEveryServer } from '../testing/server.ts'

/** Keeps requesting the live deployment until `end`, which returns the answers. Some of the requests are slow. */
function visitors(app: TestApp, path = '/') {
  const seen: string[] = []
  const failures: unknown[] = []
  const laps = [0, 0, 0, 0, 0]
  let isOver = false
  const visit = async (slow: boolean, me: number) => {
    for (; !isOver; laps[me]!++)
      try {
        const { active_deployment_id: live } = await app.detail()
        seen.push(await app.ask(live ?? '', slow ? '/slow?ms=300' : path))
      } catch (error) {
        failures.push(error)
      }
  }
  const all = Promise.all(laps.map((_, me) => visit(me === 0, me)))
  return {
    seen,
    /** Resolves when every visitor has sent a request since the call, and none waits for an older one. */
    async allMovedOn() {
      const before = [...laps]
      await eventually(async () => laps.every((lap, me) => lap >= before[me]! + 2))
    },
    async end() {
      isOver = true
      await all
      return { seen: new Set(seen), failures }
    },
  }
}

onEveryServer(server => {
  describe('no request fails', () => {
    it('while a new deployment takes over', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('one'))
      const load = visitors(app)
      await eventually(async () => load.seen.includes('slow'))
      await app.deploy(procfileApp('two'))
      await eventually(async () => load.seen.includes('two'))
      await load.allMovedOn()
      await app.sleep(first, 30_000)
      expect(await load.end()).toEqual({ seen: new Set(['one', 'two', 'slow']), failures: [] })
    })

    it('while a changed variable restarts the app', async () => {
      const app = await TestApp.create(server())
      await app.put('COLOR', 'red')
      const id = await app.deploy(procfileApp('x', colors))
      const load = visitors(app, '/color')
      await eventually(async () => load.seen.includes('red') && load.seen.includes('slow'))
      expect((await app.put('COLOR', 'blue')).json).toEqual({
        key: 'COLOR',
        scope: 'runtime',
        restarting: true,
      })
      await eventually(async () => load.seen.includes('blue'))
      expect((await app.states(id)).at(-1)).toBe('ready')
      expect(await load.end()).toEqual({ seen: new Set(['red', 'blue', 'slow']), failures: [] })
    })
  })

  describe('an instance that another deployment has replaced', () => {
    /** Lets some seconds pass in which the instance is in use, as with an open WebSocket. */
    const useOn = async (id: string) => {
      const { clock, running } = server()
      await running.platform.store.db
        .updateTable('app_instances')
        .set({ used_at: clock.now() + 3600_000 })
        .where('deployment_id', '=', id)
        .where('state', '=', 'ready')
        .execute()
      clock.advance(10_000)
    }

    it('ends after some minutes even if it is in use, but not if it was started later', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('one'))
      const second = await app.deploy(procfileApp('two'))
      const from = server().clock.now()
      await eventually(async () => {
        await useOn(first)
        return (await app.states(first)).join() === 'stopped'
      })
      expect(server().clock.now() - from).toBeGreaterThan(5 * 60_000)
      expect(await app.ask(first)).toBe('one')
      await app.ask(second)
      await eventually(async () => {
        await useOn(first)
        return (await app.states(second)).at(-1) !== 'ready'
      })
      expect((await app.states(first)).at(-1)).toBe('ready')
    })
  })

  it('a project that is transferred keeps its app running', async () => {
    const app = await TestApp.create(server())
    const id = await app.deploy(procfileApp('moved'))
    const { json: me } = await server().request('/me', { token: app.token })
    const org = await makeOrg(server(), { [me.id]: 'owner' })
    const [before] = await app.instances(id)
    const answer = await server().request(`/projects/${app.name}/transfer`, {
      ...{ method: 'POST', token: app.token, body: { org: org.name } },
    })
    expect(answer.status).toBe(200)
    expect(await app.ask(id)).toBe('moved')
    expect((await app.instances(id)).map(row => [row.id, row.state])).toEqual([[before!.id, 'ready']])
  })

  describe('a changed variable', () => {
    it('restarts nothing if no app runs, or if it is for builds only', async () => {
      const app = await TestApp.create(server())
      expect((await app.put('KEY', '1')).json).toEqual({ key: 'KEY', scope: 'runtime' })
      await app.deploy(procfileApp('x'))
      expect((await app.put('BUILD', '1', 'build')).json).toEqual({ key: 'BUILD', scope: 'build' })
      expect((await app.put('BUILD', '1', 'both')).json).toMatchObject({ restarting: true })
      const path = `/projects/${app.name}/env/BUILD`
      const removed = await server().request(path, { method: 'DELETE', token: app.token })
      expect(removed.json).toEqual({ ok: true, restarting: true })
    })

    it('takes effect at the next start if the app sleeps', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('x', colors))
      await app.sleep(id)
      const stored = { key: 'COLOR', scope: 'runtime', restarting: false }
      expect((await app.put('COLOR', 'blue')).json).toEqual(stored)
      const path = `/projects/${app.name}/env/COLOR`
      const removed = await server().request(path, { method: 'DELETE', token: app.token })
      expect(removed.json).toEqual({ ok: true, restarting: false })
      await app.put('COLOR', 'green')
      expect(await app.ask(id, '/color')).toBe('green')
    })

    it('starts an app at once that waits after crashes', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('x', shortLived))
      const { db } = server().running.platform.store
      await app.ask(id).catch(() => undefined)
      await eventually(async () => (await app.states(id)).join() === 'crashed,ready')
      await app.ask(id).catch(() => undefined)
      // Set the row as after many crashes, when the app would wait for a minute.
      await eventually(async () => {
        const { numUpdatedRows } = await db
          .updateTable('app_instances')
          .set({ not_before: server().clock.now() + 59_000 })
          .where('deployment_id', '=', id)
          .where('state', '=', 'starting')
          .executeTakeFirst()
        return numUpdatedRows === 1n
      })
      expect((await app.put('FIX', '1')).json).toMatchObject({ restarting: true })
      expect((await app.instances(id)).at(-1)!.not_before).toBe(0)
      await eventually(async () => (await app.states(id)).at(-1) === 'ready')
    })

    it('and others right after it cause one restart', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('x', colors))
      await Promise.all(['A', 'B', 'C'].map(key => app.put(key, '1')))
      expect((await app.detail()).app).toMatchObject({ state: 'running', restart: { state: 'starting' } })
      await eventually(async () => (await app.detail()).app?.restart === undefined)
      await eventually(async () => (await app.states(id)).join() === 'stopped,ready')
    })

    it('with which the app does not start leaves the old instance running', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('x', colors))
      await app.put('COLOR', 'crash')
      await eventually(async () => (await app.detail()).app?.restart?.state === 'failed')
      expect((await app.detail()).app).toMatchObject({
        state: 'running',
        error: null,
        restart: { state: 'failed', error: expect.stringContaining('this color is too much') },
      })
      expect(await app.ask(id, '/color')).toBe('none')
      expect(await app.states(id)).toEqual(['ready', 'failed'])
      await app.put('COLOR', 'green')
      await eventually(async () => (await app.ask(id, '/color')) === 'green')
      expect((await app.detail()).app).not.toHaveProperty('restart')
    })
  })

  describe('the environment of an app', () => {
    it('has its variables and those of the platform, and nothing else', async () => {
      const app = await TestApp.create(server())
      await app.put('FOR_APP', 'a')
      await app.put('FOR_BOTH', 'b', 'both')
      await app.put('FOR_BUILD', 'c', 'build')
      const id = await app.deploy(procfileApp('x'))
      const env = JSON.parse(await app.ask(id, '/env')) as Record<string, string>
      expect(env).toMatchObject({
        FOR_APP: 'a',
        FOR_BOTH: 'b',
        NODE_ENV: 'production',
        SVC_PROJECT: app.name,
        SVC_DEPLOYMENT_ID: id,
      })
      const all = [
        'FOR_APP',
        'FOR_BOTH',
        'HOME',
        'HOST',
        'HOSTNAME',
        'LANG',
        'NAME',
        'NODE_ENV',
        'PATH',
        'PORT',
      ]
      const others = Object.keys(env).filter(key => !all.includes(key) && !key.startsWith('SVC_'))
      expect(others.filter(key => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(key))).toEqual([])
    })

    it('may have another NODE_ENV', async () => {
      const app = await TestApp.create(server())
      await app.put('NODE_ENV', 'staging')
      const id = await app.deploy(procfileApp('x'))
      expect(JSON.parse(await app.ask(id, '/env'))).toMatchObject({ NODE_ENV: 'staging' })
    })
  })

  describe('a project', () => {
    it('shows the state of its app, and restarts it', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('x'))
      // What it uses may be measured already.
      expect((await app.detail()).app).toMatchObject({
        state: 'running',
        since: expect.stringMatching(/Z$/),
        error: null,
      })
      const path = `/projects/${app.name}/restart`
      const restart = () => server().request(path, { method: 'POST', token: app.token })
      expect((await restart()).json).toEqual({ ok: true, restarting: true })
      await eventually(async () => (await app.states(id)).join() === 'stopped,ready')
      expect((await restart()).status).toBe(200)
    })

    it('that is static has no app to restart', async () => {
      const app = await TestApp.create(server())
      await app.deploy({ 'index.html': 'hi' })
      expect((await app.detail()).app).toBeNull()
      const answer = await server().request(`/projects/${app.name}/restart`, {
        method: 'POST',
        token: app.token,
      })
      expect([answer.status, answer.json.error.code]).toEqual([400, 'not_a_server'])
    })

    it('shows why its app crashed', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('x', shortLived))
      for (let crash = 1; crash <= 3; crash++) {
        await app.ask(id).catch(() => undefined)
        await eventually(
          async () => (await app.states(id)).filter(state => state === 'crashed').length === crash,
        )
      }
      expect((await app.instances(id)).at(-2)?.error).toContain('that was too much')
    })
  })

  describe('the files of an app', () => {
    it('are kept while the app may be requested, and removed afterwards', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('one'))
      const dirOf = (id: string) => path.join(server().dataDir, 'apps', id)
      expect(existsSync(dirOf(first))).toBe(true)
      const second = await app.deploy(procfileApp('two'))
      await eventually(async () => {
        server().clock.advance(5_000)
        return !existsSync(dirOf(first))
      })
      expect(existsSync(dirOf(second))).toBe(true)
      expect(await app.ask(first)).toBe('one')
    })
  })
})

onEveryServer(
  server => {
    it('apps that are kept ready are not stopped, and are started with the platform', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('awake'))
      const other = await app.deploy(procfileApp('preview'), '?branch=next')
      await app.sleep(other)
      expect(await app.states(id)).toEqual(['ready'])
      await app.ask(id, '/crash?code=1').catch(() => undefined)
      await eventually(async () => (await app.states(id)).join() === 'crashed,ready')
    })
  },
  { SVCD_BILLING: 'off', SVCD_READY_APPS: '1' },
)

const colors = `
const http = require('node:http')
if (process.env.COLOR === 'crash') throw new Error('this color is too much')
http.createServer((req, res) => {
  if (req.url.startsWith('/slow')) return setTimeout(() => res.end('slow'), 300)
  res.end(process.env.COLOR || 'none')
}).listen(process.env.PORT, process.env.HOSTNAME)
`

/** Writes a line and exits at its first request. */
const shortLived = `
require('node:http').createServer(() => {
  console.error('that was too much')
  process.exit(9)
}).listen(process.env.PORT, process.env.HOSTNAME)
`
