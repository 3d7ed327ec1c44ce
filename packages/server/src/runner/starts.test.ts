// Slow starts, and what happens meanwhile. The apps send a request to a gate before they listen.
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endForgotten, type Instance } from '../core/apps/instances.ts'
import { newId, randomText } from '../lib/ids.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'

/**
 * Answers every app except those with the color that it holds. Apps cannot reach the network of the machine, so the gate is a
 * socket among the files of each deployment that names the gate.
 */
class Gate {
  readonly #name = randomText(12)
  readonly #held: string
  readonly #servers: Server[] = []
  #waiting: ServerResponse[] = []

  private constructor(held: string) {
    this.#held = held
  }

  static holding(server: TestServer, color: string): Gate {
    const gate = new Gate(color)
    const looking = setInterval(() => gate.#look(path.join(server.dataDir, 'apps')), 20)
    onTestFinished(() => {
      clearInterval(looking)
      for (const server of gate.#servers) {
        server.close()
        server.closeAllConnections()
      }
    })
    return gate
  }

  /** The files of an app that sends its request to this gate. */
  get app(): Record<string, string> {
    return { ...patient, gate: this.#name }
  }

  /** How many of the held apps still wait. */
  get waiting(): number {
    return this.#waiting.filter(res => !res.closed).length
  }

  open(): void {
    for (const res of this.#waiting) res.end()
  }

  #look(apps: string): void {
    for (const name of readdirSync(apps)) {
      const dir = path.join(apps, name)
      const mark = path.join(dir, 'gate')
      const socket = path.join(dir, 'gate.sock')
      // The files of an app that was stopped may be deleted, and unpacked again later.
      if (name.includes('.') || existsSync(socket) || !existsSync(mark)) continue
      if (readFileSync(mark, 'utf8') !== this.#name) continue
      const server = createServer((req, res) => {
        if (req.url === `/${this.#held}`) this.#waiting.push(res)
        else res.end()
      })
      this.#servers.push(server)
      server.listen(socket, () => chmodSync(socket, 0o777))
    }
  }
}

const patient = procfileApp(
  'patient',
  `
const http = require('node:http'), { COLOR = 'none', PORT, HOSTNAME } = process.env
function ask() {
  http.get({ socketPath: 'gate.sock', path: '/' + COLOR }, answer => {
    if (COLOR === 'crash') throw new Error('this color is too much')
    answer.resume()
    http.createServer((req, res) => res.end(COLOR)).listen(PORT, HOSTNAME)
  }).on('error', () => setTimeout(ask, 20))
}
ask()
`,
)

onEveryServer(server => {
  describe('a token that is revoked while the app starts', () => {
    const revocable = async (app: TestApp) => {
      const client = server().client(app.token)
      const { id, token } = await client('POST /tokens', { body: { kind: 'cli' } })
      return { token, revoke: () => client('DELETE /tokens/:id', { params: { id } }) }
    }

    it('deploys nothing', async () => {
      const gate = Gate.holding(server(), 'none')
      const app = await TestApp.create(server())
      const { token, revoke } = await revocable(app)
      const uploading = server().upload(token, app.name, archiveOf(gate.app))
      await eventually(async () => gate.waiting === 1)
      await revoke()
      gate.open()
      expect((await uploading).status).toBe(401)
      expect((await app.detail()).active_deployment_id).toBeNull()
    })

    it('rolls nothing back', async () => {
      const gate = Gate.holding(server(), 'red')
      const app = await TestApp.create(server())
      const first = await app.deploy(gate.app)
      const second = await app.deploy({ 'index.html': 'newer' })
      await eventually(async () => {
        server().clock.advance(10_000)
        return (await app.states(first)).join() === 'stopped'
      })
      const { token, revoke } = await revocable(app)
      await server().client(app.token)('PUT /projects/:name/env/:key', {
        params: { name: app.name, key: 'COLOR' },
        body: { value: 'red' },
      })
      const target = `/projects/${app.name}/deployments/${first}/activate`
      const activating = server().request(target, { method: 'POST', token })
      await eventually(async () => gate.waiting === 1)
      await revoke()
      gate.open()
      expect((await activating).status).toBe(401)
      expect((await app.detail()).active_deployment_id).toBe(second)
    })
  })

  describe('a variable that is changed while an earlier change restarts the app', () => {
    it.each(['red', 'crash'])('counts, whether that start succeeds or not (%s)', async color => {
      const gate = Gate.holding(server(), color)
      const app = await TestApp.create(server())
      const id = await app.deploy(gate.app)
      await app.put('COLOR', color)
      await eventually(async () => gate.waiting === 1)
      await app.put('COLOR', 'blue')
      // When another app has started, the runner has also checked this one.
      await (await TestApp.create(server())).deploy(procfileApp())
      gate.open()
      await eventually(async () => (await app.ask(id)) === 'blue')
    })
  })

  it('a start ends when the project is deleted', async () => {
    const gate = Gate.holding(server(), 'none')
    const app = await TestApp.create(server())
    const uploading = app.upload(gate.app)
    await eventually(async () => gate.waiting === 1)
    const path = `/projects/${app.name}`
    expect((await server().request(path, { method: 'DELETE', token: app.token })).status).toBe(200)
    await eventually(async () => gate.waiting === 0)
    expect((await uploading).status).toBe(404)
  })

  it('the slow starts of one project do not block those of others', async () => {
    const gate = Gate.holding(server(), 'none')
    const app = await TestApp.create(server())
    const previews = Array.from({ length: 17 }, (_, i) => app.upload(gate.app, `?branch=b${i}`))
    await eventually(async () => gate.waiting > 0)
    await (await TestApp.create(server())).deploy(procfileApp())
    const path = `/projects/${app.name}`
    expect((await server().request(path, { method: 'DELETE', token: app.token })).status).toBe(200)
    await Promise.all(previews)
  })

  it('a node that fails in the middle of a start does not keep other nodes from starting the app', async () => {
    const app = await TestApp.create(server())
    const id = await app.deploy(procfileApp('found'))
    const { platform } = server().running
    const [row] = await app.instances(id)
    const lost: Partial<Instance> = { id: newId('ins'), state: 'starting', node_id: 'gone', ready_at: null }
    await platform.store.db
      .insertInto('app_instances')
      .values({ ...row!, ...lost })
      .execute()
    await app.ask(id, '/crash?code=1').catch(() => undefined)
    await eventually(async () => (await app.states(id)).includes('crashed'))
    server().clock.advance(6 * 60_000)
    await endForgotten({ ...platform, runsApps: true })
    expect(await app.ask(id)).toBe('found')
  })
})
