// Commands that people attend while they run.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { limits } from '@svc/contract'
import { hourMs, minuteMs } from '@svc/contract/durations'
import { expect, it, onTestFinished } from 'vitest'
import { createWebSocketStream, WebSocket } from 'ws'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { send } from '../testing/send.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { makeTeam } from '../testing/team.ts'

interface Asking {
  name: string
  token: string
}

interface Line {
  stdout?: string
  stderr?: string
  exit_code?: number
  reason?: string | null
  error?: { code: string; message: string }
}

const terminal = { columns: 80, rows: 24, type: 'xterm' }

/** A client that sends lines and keeps those that come. */
class Client {
  readonly webSocket: WebSocket
  readonly #bytes: ReturnType<typeof createWebSocketStream>
  readonly lines: Line[] = []
  readonly ended: Promise<void>

  private constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
    this.#bytes = createWebSocketStream(webSocket)
    this.#bytes.on('error', () => undefined)
    const lines = createInterface({ input: this.#bytes })
    lines.on('line', line => this.lines.push(JSON.parse(line)))
    this.ended = once(lines, 'close').then(() => undefined)
  }

  /** Rejects with the status and the code of an answer that is no WebSocket. */
  static async open(server: TestServer, { name, token }: Asking): Promise<Client> {
    const url = `ws://127.0.0.1:${server.running.port}/projects/${name}/run`
    const headers = { authorization: `Bearer ${token}` }
    const webSocket = new WebSocket(url, { headers, perMessageDeflate: false })
    onTestFinished(() => webSocket.terminate())
    await new Promise<void>((resolve, reject) => {
      webSocket.once('open', resolve).once('error', reject)
      webSocket.once('unexpected-response', async (_request, response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        reject(new Error(`${response.statusCode} ${JSON.parse(text).error.code}`))
      })
    })
    return new Client(webSocket)
  }

  send(...lines: object[]): this {
    for (const line of lines) this.sendText(`${JSON.stringify(line)}\n`)
    return this
  }

  sendText(text: string): void {
    this.#bytes.write(text)
  }

  type(text: string): this {
    return this.send({ stdin: Buffer.from(text).toString('base64') })
  }

  said(stream: 'stdout' | 'stderr'): string {
    return Buffer.concat(this.lines.map(line => Buffer.from(line[stream] ?? '', 'base64'))).toString()
  }

  async end(): Promise<Line> {
    await this.ended
    return this.lines.at(-1) ?? {}
  }
}

onEveryServer(server => {
  async function live(): Promise<TestApp> {
    const app = await TestApp.create(server())
    await app.deploy(procfileApp('one'))
    return app
  }

  const attend = async (app: Asking, command: string[], more: object = {}) =>
    (await Client.open(server(), app)).send({ command, ...more })

  const runner = () =>
    server().running.platform.commands.here as unknown as { isRunning(id: string): boolean }

  it('a command reads what its caller sends, to the end, and its exit code is told', async () => {
    const app = await live()
    await app.put('COLOR', 'teal')
    const client = await attend(app, ['cat; echo "$COLOR" >&2; exit 7'])
    client.type('one ').type('two').send({ end: true })
    expect(await client.end()).toEqual({ exit_code: 7, reason: null })
    expect([client.said('stdout'), client.said('stderr')]).toEqual(['one two', 'teal\n'])
  })

  it('a shell has a terminal, on which Ctrl-C ends what runs, and not the shell', async () => {
    const client = await attend(await live(), ['sh'], { terminal: { ...terminal, columns: 101 } })
    client.type('stty size; echo u""p; sleep 600\r')
    await eventually(() => client.said('stdout').includes('up'))
    client.type('\x03').send({ size: { columns: 55, rows: 22 } })
    client.type('until [ "$(stty size)" = "22 55" ]; do sleep 0.1; done; echo n""ow $TERM; exit 3\r')
    expect(await client.end()).toEqual({ exit_code: 3, reason: null })
    expect(client.said('stdout')).toMatch(/24 101\r\n[\s\S]*now xterm\r\n/)
  })

  it('what is more than the buffers hold arrives whole in both directions', async () => {
    const app = await live()
    const client = await attend(app, ['tee /tmp/copy | wc -c; cat /tmp/copy >&2'])
    const piece = 'x'.repeat(64 * 1024)
    for (let i = 0; i < 160; i++) client.type(piece)
    client.send({ end: true })
    expect(await client.end()).toEqual({ exit_code: 0, reason: null })
    expect(client.said('stdout')).toBe(`${160 * piece.length}\n`)
    expect(client.said('stderr')).toBe(piece.repeat(160))
  })

  it('a command that does not read lets its caller go on, and so does one that has ended', async () => {
    const client = await attend(await live(), ['exec 0<&-; sleep 1; exit 5'])
    for (let i = 0; i < 40; i++) client.type('x'.repeat(64 * 1024))
    expect(await client.end()).toEqual({ exit_code: 5, reason: null })
  })

  it('members attend commands, strangers and deploy tokens do not, and a site is no app', async () => {
    const team = await makeTeam(server())
    const name = `attend-${team.org}`
    await server().client(team.owner.token)('POST /projects', { body: { name, org: team.org } })
    const made = await send(server(), `POST /orgs/${team.org}/tokens`, team.owner, { kind: 'deploy' })
    const asked = (token: string) => Client.open(server(), { name, token })
    await expect(asked(team.member.token)).rejects.toThrow('400 not_a_server')
    await expect(asked(team.outsider.token)).rejects.toThrow('404 not_found')
    await expect(asked(made.json.token)).rejects.toThrow('401 unauthorized')
  })

  it('the audit log says who attended a command, and not which', async () => {
    const app = await live()
    await (await attend(app, ['echo', 'a-secret-argument'])).end()
    const { text } = await server().request(`/projects/${app.name}/audit`, { token: app.token })
    expect(text).toContain('"app.run"')
    expect(text).not.toContain('a-secret-argument')
  })

  it.each([
    ['no JSON', 'hello\n'],
    ['an empty command', '{"command":[]}\n'],
    ['a program without a name', '{"command":[""]}\n'],
    ['a terminal that is none', '{"command":["true"],"terminal":{"columns":0,"rows":1,"type":"x"}}\n'],
    [
      'a type of terminal with a space',
      '{"command":["true"],"terminal":{"columns":9,"rows":9,"type":"x y"}}\n',
    ],
    ['a line without an end', 'x'.repeat(limits.attendedLineBytes + 1)],
  ])('refuses %s as the first line', async (_, text) => {
    const client = await Client.open(server(), await live())
    client.sendText(text)
    expect((await client.end()).error?.code).toBe('invalid_request')
  })

  it.each([
    ['no JSON', 'hello\n', 'A line is not one that this endpoint knows.'],
    ['bytes that are not base64', '{"stdin":"%"}\n', 'A line is not one that this endpoint knows.'],
    ['a line without an end', 'x'.repeat(limits.attendedLineBytes + 1), 'A line may have at most'],
  ])('ends the command of a client that sends %s', async (_, text, reason) => {
    const client = await attend(await live(), ['echo up; sleep 600'])
    await eventually(() => client.said('stdout') === 'up\n')
    client.sendText(text)
    expect(await client.end()).toEqual({ exit_code: 137, reason: expect.stringContaining(reason) })
  })

  it('gives up on a client that sends no command', async () => {
    const client = await Client.open(server(), await live())
    const closed = once(client.webSocket, 'close')
    server().clock.advance(11_000)
    expect(String((await closed)[1])).toBe('No command came.')
  })

  it('ends a command when its client leaves, and lets two run at a time', async () => {
    const app = await TestApp.create(server())
    const id = await app.deploy(procfileApp('one'))
    const clients = await Promise.all([1, 2].map(() => attend(app, ['echo up; sleep 600'])))
    await eventually(() => clients.every(client => client.said('stdout') === 'up\n'))
    expect((await (await attend(app, ['true'])).end()).error?.code).toBe('run_under_way')
    for (const { webSocket } of clients) webSocket.terminate()
    await eventually(() => !runner().isRunning(id))
    expect(await (await attend(app, ['true'])).end()).toMatchObject({ exit_code: 0 })
  })

  it('ends a terminal on which nothing is sent, and no terminal that is used', async () => {
    const client = await attend(await live(), ['sh'], { terminal })
    client.type('echo u""p\r')
    await eventually(() => client.said('stdout').includes('up'))
    const beat = async () => {
      const pings = once(client.webSocket, 'ping')
      server().clock.advance(11_000)
      await pings
    }
    await beat()
    server().clock.advance((limits.terminalIdleMinutes - 1) * minuteMs)
    client.type('echo m""ore\r')
    await eventually(() => client.said('stdout').includes('more'))
    await beat()
    server().clock.advance(hourMs)
    await eventually(() => {
      server().clock.advance(11_000)
      return client.lines.at(-1)?.exit_code !== undefined
    })
    expect(await client.end()).toEqual({ exit_code: 137, reason: 'Nothing was sent for 30 minutes.' })
  })

  it('ends the command and the connection of a client that reads nothing', async () => {
    const app = await TestApp.create(server())
    const id = await app.deploy(procfileApp('one'))
    const made = await send(server(), 'POST /tokens', app, { kind: 'cli', label: 'other' })
    const client = await attend({ name: app.name, token: made.json.token }, ['yes'])
    await eventually(() => client.said('stdout').length > 1024 ** 2)
    client.webSocket.pause()
    await send(server(), `DELETE /tokens/${made.json.id}`, app)
    await eventually(() => {
      server().clock.advance(11_000)
      return !runner().isRunning(id)
    })
    let isClosed = false
    client.webSocket.once('close', () => {
      isClosed = true
    })
    // A client that reads nothing sees the end only when it sends something.
    await eventually(() => {
      server().clock.advance(31_000)
      client.webSocket.ping()
      return isClosed
    })
  })

  it('ends a command when its token is revoked', async () => {
    const app = await live()
    const made = await send(server(), 'POST /tokens', app, { kind: 'cli', label: 'other' })
    const client = await attend({ name: app.name, token: made.json.token }, ['echo up; sleep 600'])
    await eventually(() => client.said('stdout') === 'up\n')
    await send(server(), `DELETE /tokens/${made.json.id}`, app)
    await eventually(() => {
      server().clock.advance(11_000)
      return client.lines.at(-1)?.exit_code !== undefined
    })
    expect(await client.end()).toEqual({ exit_code: 137, reason: expect.stringContaining('token') })
  })
})

it('a platform that stops says so to whoever attends a command', async () => {
  const server = await TestServer.start('sqlite')
  onTestFinished(() => server.remove())
  const app = await TestApp.create(server)
  await app.deploy(procfileApp('one'))
  const client = (await Client.open(server, app)).send({ command: ['echo up; sleep 600'] })
  await eventually(() => client.said('stdout') === 'up\n')
  await server.remove()
  expect(await client.end()).toEqual({ exit_code: 137, reason: 'The platform is stopping.' })
})
