// Starts that take their time, and what happens meanwhile. The apps ask at a gate before they listen.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endForgotten, type Instance } from '../core/apps/instances.ts'
import { newId } from '../lib/ids.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'

/** Lets everyone through whose color it does not hold. */
class Gate {
  readonly #server: Server
  readonly #held: string
  #waiting: ServerResponse[] = []

  private constructor(held: string) {
    this.#held = held
    this.#server = createServer((req, res) => {
      if (req.url !== `/${this.#held}`) res.end()
      else this.#waiting.push(res)
    })
  }

  static async holding(color: string): Promise<Gate> {
    const gate = new Gate(color)
    await new Promise<void>(resolve => gate.#server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      gate.#server.close()
      gate.#server.closeAllConnections()
    })
    return gate
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** How many of those it held are still there. */
  get waiting(): number {
    return this.#waiting.filter(res => !res.closed).length
  }

  open(): void {
    for (const res of this.#waiting) res.end()
  }
}

const patient = procfileApp(
  'patient',
  `
const http = require('node:http'), { GATE, COLOR = 'none', PORT, HOSTNAME } = process.env
http.get(GATE + '/' + COLOR, answer => {
  if (COLOR === 'crash') throw new Error('this color is too much')
  answer.resume()
  http.createServer((req, res) => res.end(COLOR)).listen(PORT, HOSTNAME)
})
`,
)

onEveryServer(server => {
  async function behind(gate: Gate): Promise<TestApp> {
    const app = await TestApp.create(server())
    await app.put('GATE', gate.url)
    return app
  }

  describe('a variable that is changed while an earlier change restarts the app', () => {
    it.each(['red', 'crash'])('counts, whether that start succeeds or not (%s)', async color => {
      const gate = await Gate.holding(color)
      const app = await behind(gate)
      const id = await app.deploy(patient)
      await app.put('COLOR', color)
      await eventually(async () => gate.waiting === 1)
      await app.put('COLOR', 'blue')
      // Another app that comes up shows that the runner has looked at this one since.
      await (await TestApp.create(server())).deploy(procfileApp())
      gate.open()
      await eventually(async () => (await app.ask(id)) === 'blue')
    })
  })

  it('a start ends when the project is deleted', async () => {
    const gate = await Gate.holding('none')
    const app = await behind(gate)
    const uploading = app.upload(patient)
    await eventually(async () => gate.waiting === 1)
    const path = `/projects/${app.name}`
    expect((await server().request(path, { method: 'DELETE', token: app.token })).status).toBe(200)
    await eventually(async () => gate.waiting === 0)
    expect((await uploading).status).toBe(404)
  })

  it('the slow starts of one project leave room for those of others', async () => {
    const gate = await Gate.holding('none')
    const app = await behind(gate)
    const previews = Array.from({ length: 17 }, (_, i) => app.upload(patient, `?branch=b${i}`))
    await eventually(async () => gate.waiting > 0)
    await (await TestApp.create(server())).deploy(procfileApp())
    const path = `/projects/${app.name}`
    expect((await server().request(path, { method: 'DELETE', token: app.token })).status).toBe(200)
    await Promise.all(previews)
  })

  it('a node that was lost in the middle of a start does not keep others from starting the app', async () => {
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
