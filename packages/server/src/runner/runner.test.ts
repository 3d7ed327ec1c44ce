import { describe, expect, it, test } from 'vitest'
import { procfileApp, program, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  describe('a deployed server', () => {
    it('is live when it accepts connections, and the answer says what kind of app it is', async () => {
      const app = await TestApp.create(server())
      const answer = await app.upload(procfileApp('one'))
      expect(answer.status).toBe(201)
      expect(answer.json).toMatchObject({ kind: 'server', framework: 'Procfile' })
      const { kind, active_deployment_id, deployments } = await app.detail()
      expect([kind, active_deployment_id]).toEqual(['server', answer.json.deployment_id])
      expect(deployments[0]).toMatchObject({
        kind: 'server',
        status: 'live',
        framework: 'Procfile',
        start_command: 'NAME=one node app.cjs',
      })
      expect(await app.states(answer.json.deployment_id)).toEqual(['ready'])
      expect(await app.ask(answer.json.deployment_id)).toBe('one')
    })

    it('fails with its last lines if it does not start, and the live deployment stays live', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('good'))
      const answer = await app.upload(procfileApp('bad', 'console.error("no database"); process.exit(1)'))
      expect(answer.status).toBe(422)
      expect(answer.json.error.code).toBe('deployment_failed')
      expect(answer.json.error.message).toContain('exited with code 1')
      expect(answer.json.error.message).toContain('no database')
      const { active_deployment_id, deployments } = await app.detail()
      expect(active_deployment_id).toBe(first)
      expect(deployments[0]).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('no database'),
      })
      expect(await app.ask(first)).toBe('good')
    })

    it('replaces the one before, which ends soon', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('one'))
      const old = await app.address(first)
      const second = await app.deploy(procfileApp('two'))
      expect(await app.ask(second)).toBe('two')
      await app.sleep(first, 30_000)
      await expect(app.get(old)).rejects.toThrow()
      expect(await app.states(second)).toEqual(['ready'])
    })

    it('is started before a rollback sends visitors to it', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('one'))
      await app.deploy(procfileApp('two'))
      const path = `/projects/${app.name}/deployments/${first}/activate`
      expect((await server().request(path, { method: 'POST', token: app.token })).status).toBe(200)
      expect(await app.states(first)).toContain('ready')
      expect(await app.ask(first)).toBe('one')
    })

    it('runs on a branch', async () => {
      const app = await TestApp.create(server())
      const live = await app.deploy(procfileApp('live'))
      const preview = await app.deploy(procfileApp('preview'), '?branch=next')
      expect([await app.ask(live), await app.ask(preview)]).toEqual(['live', 'preview'])
    })

    it('stops when its deployment or its project is deleted', async () => {
      const app = await TestApp.create(server())
      const live = await app.deploy(procfileApp('live'))
      const preview = await app.deploy(procfileApp('preview'), '?branch=next')
      const addresses = [await app.address(live), await app.address(preview)] as const
      const remove = (path: string) => server().request(path, { method: 'DELETE', token: app.token })
      expect((await remove(`/projects/${app.name}/deployments/${preview}`)).status).toBe(200)
      await eventually(() =>
        app.get(addresses[1]).then(
          () => false,
          () => true,
        ),
      )
      expect(await app.get(addresses[0])).toBe('live')
      expect((await remove(`/projects/${app.name}`)).status).toBe(200)
      await eventually(() =>
        app.get(addresses[0]).then(
          () => false,
          () => true,
        ),
      )
    })
  })

  describe('an app without requests', () => {
    it('is stopped after the idle time, and started by the next request', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('sleepy'))
      const old = await app.address(id)
      await app.sleep(id)
      await expect(app.get(old)).rejects.toThrow()
      expect(await app.ask(id)).toBe('sleepy')
      expect(await app.states(id)).toEqual(['stopped', 'ready'])
    })

    it('is started once for many requests at the same time', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('shared'))
      await app.sleep(id)
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.ask(id)))
      expect(new Set(answers)).toEqual(new Set(['shared']))
      expect(await app.states(id)).toEqual(['stopped', 'ready'])
    })

    it('stays awake during a request', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('busy'))
      await app.address(id)
      const done = server().running.platform.apps.markBusy(id)
      server().clock.advance(250_000)
      await eventually(async () => {
        const [row] = await app.instances(id)
        return row!.used_at > row!.ready_at! + 240_000
      })
      server().clock.advance(100_000)
      expect(await app.states(id)).toEqual(['ready'])
      done()
    })
  })

  describe('an app that crashes', () => {
    it('is started again', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('brittle'))
      await app.ask(id, '/crash?code=3').catch(() => undefined)
      await eventually(async () => (await app.states(id)).join() === 'crashed,ready')
      const [crashed, next] = await app.instances(id)
      expect(crashed!.error).toContain('exited with code 3')
      expect(next!.crashes).toBe(1)
      expect(await app.ask(id)).toBe('brittle')
    })

    it('waits longer before each restart', async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('brittle'))
      for (let crash = 1; crash <= 5; crash++) {
        await app.ask(id, '/crash?code=3').catch(() => undefined)
        await eventually(
          async () => (await app.states(id)).filter(state => state === 'crashed').length === crash,
        )
        await eventually(async () => (await app.states(id)).length === crash + 1)
        server().clock.advance(20_000)
        await eventually(async () => (await app.states(id)).at(-1) === 'ready')
      }
      const rows = await app.instances(id)
      const pauses = rows.slice(1).map((row, i) => row.not_before - rows[i]!.ended_at!)
      expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000])
    })
  })
})

test('the program for tests has valid syntax', () => {
  expect(() => new Function('require', 'process', program)).not.toThrow()
})
