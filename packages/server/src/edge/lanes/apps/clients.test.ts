// Clients of all kinds, through the real listener, with and without TLS, whose requests the lane passes to an app.
import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Listener, listen } from '../../../listener.ts'
import { Authority } from '../../../testing/authority.ts'
import { eventually } from '../../../testing/eventually.ts'
import { handlersWith } from '../../../testing/handlers.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

const host = 'shop.example.test'
const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok'
const request = (line: string, body = '', ...fields: string[]) =>
  `${[`${line}`, `Host: ${host}`, ...fields].join('\r\n')}\r\n\r\n${body}`
const get = (path: string, ...fields: string[]) => request(`GET ${path} HTTP/1.1`, '', ...fields)
const post = (body: string, ...fields: string[]) =>
  request('POST /form HTTP/1.1', body, `Content-Length: ${body.length}`, ...fields)

let authority: Authority
let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
let listener: Listener
/** How many requests the lane has passed to the app. */
let passed = 0
/** What the app received, the connections on which it did, and how it answers. */
let received: string[]
let held: Socket[]
let reply: (socket: Socket, text: string) => void

beforeAll(async () => {
  authority = await Authority.make()
  app = await startRawApp((text, socket) => {
    received.push(text)
    held.push(socket)
    reply(socket, text)
  })
  bed = await startTestApp((_req, res) => res.end(), { appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  const made = await authority.certificate(host)
  listener = await listen({ host: '127.0.0.1', port: 0, tlsPort: 0 })
  const findApp: typeof bed.edge.findApp = (...asked) => {
    const target = bed.edge.findApp(...asked)
    if (target !== undefined) passed++
    return target
  }
  await listener.dispatchTo(handlersWith(made, { ...bed.edge, findApp }, bed.hosts))
})

afterAll(async () => {
  await listener.stop(0)
  await bed.stop()
  await app.stop()
  await authority.remove()
})

describe.each(['plain', 'TLS'])('by %s', kind => {
  const scheme = kind === 'TLS' ? 'https' : 'http'

  function dial(): Socket {
    const at = { host: '127.0.0.1', noDelay: true }
    const client =
      kind === 'TLS'
        ? connectSecurely({ ...at, port: listener.tlsPort!, ca: authority.ca, servername: host })
        : connectPlain({ ...at, port: listener.port })
    client.on('error', () => undefined)
    onTestFinished(() => void client.destroy())
    return client
  }

  /** A client, and what it has received so far. */
  function open(): { client: Socket; text: () => string } {
    const client = dial()
    let text = ''
    client.on('data', data => {
      text += data.toString('latin1')
    })
    return { client, text: () => text }
  }

  const answersIn = (text: string): number => text.match(/HTTP\/1\.1 \d+/g)?.length ?? 0

  beforeEach(async () => {
    received = []
    held = []
    reply = socket => void socket.write(ok)
    // The cache learns that the answer is not stored, and a connection to the app is opened.
    const { client, text } = open()
    client.write(get('/', 'Connection: close'))
    await once(client, 'close')
    expect(text()).toMatch(/^HTTP\/1\.1 200 /)
    received = []
    held = []
    passed = 0
    bed.accesses.length = 0
  })

  test('requests one after the other go through the lane, and the app learns how they came', async () => {
    const { client, text } = open()
    for (let count = 1; count <= 3; count++) {
      client.write(get('/'))
      await eventually(async () => answersIn(text()) === count && text().endsWith('ok'))
    }
    expect(passed).toBe(3)
    expect(received).toHaveLength(3)
    for (const asked of received) {
      expect(asked).toContain(`X-Forwarded-Proto: ${scheme}\r\n`)
      expect(asked).toContain('X-Forwarded-For: 127.0.0.1\r\n')
    }
    expect(new Set(held).size).toBe(1)
    expect(text().match(/Strict-Transport-Security/g)?.length ?? 0).toBe(kind === 'TLS' ? 3 : 0)
  })

  test('a Strict-Transport-Security of the app is passed on as it is', async () => {
    reply = socket =>
      void socket.write(ok.replace('text/html', 'text/html\r\nStrict-Transport-Security: max-age=5'))
    const { client, text } = open()
    client.write(get('/'))
    await eventually(async () => text().endsWith('ok'))
    expect(text().match(/Strict-Transport-Security: .*/g)).toEqual(['Strict-Transport-Security: max-age=5'])
    expect(passed).toBe(1)
  })

  test('a body that comes with its head goes through the lane', async () => {
    const { client, text } = open()
    client.write(post('a=1'))
    await eventually(async () => text().endsWith('ok'))
    expect(passed).toBe(1)
    expect(received[0]).toMatch(/\r\nContent-Length: 3\r\n[\s\S]*\r\n\r\na=1$/)
  })

  test('a head that comes in two parts is answered, and the next request goes through the lane', async () => {
    const { client, text } = open()
    const whole = get('/')
    client.write(whole.slice(0, 20))
    await new Promise(next => setTimeout(next, 50))
    client.write(whole.slice(20))
    await eventually(async () => text().endsWith('ok'))
    const before = passed
    client.write(whole)
    await eventually(async () => answersIn(text()) === 2)
    expect(passed).toBe(before + 1)
  })

  test('pipelined requests are answered in their order', async () => {
    reply = (socket, text) => void socket.write(ok.replace('ok', /GET \/(\w+)/.exec(text)?.[1] ?? 'no'))
    const { client, text } = open()
    client.write(['aa', 'bb', 'cc', 'dd'].map(name => get(`/${name}`)).join(''))
    await eventually(async () => answersIn(text()) === 4 && text().endsWith('dd'))
    expect(
      text()
        .match(/\r\n\r\n\w\w/g)
        ?.map(body => body.trim()),
    ).toEqual(['aa', 'bb', 'cc', 'dd'])
  })

  test('a client of HTTP/1.0 is answered, and its connection closed', async () => {
    const { client, text } = open()
    client.write(request('GET / HTTP/1.0'))
    await once(client, 'close')
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text()).toMatch(/\r\nConnection: close\r\n/i)
    expect(text().endsWith('\r\n\r\nok')).toBe(true)
    expect(passed).toBe(0)
  })

  test('chunks of an app reach a client of HTTP/1.0 without their framing', async () => {
    reply = socket =>
      void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n')
    const { client, text } = open()
    client.write(request('GET / HTTP/1.0'))
    await once(client, 'close')
    expect(text()).not.toMatch(/chunked/i)
    expect(text().endsWith('\r\n\r\nok')).toBe(true)
  })

  test('a client that expects 100 Continue gets it from the app, and then sends its body', async () => {
    let body = ''
    reply = (socket, text) => {
      if (text.startsWith('POST')) return void socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      body += text
      socket.write(ok)
    }
    const { client, text } = open()
    client.write(post('', 'Expect: 100-continue').replace('Content-Length: 0', 'Content-Length: 3'))
    await eventually(async () => text().includes('HTTP/1.1 100 Continue\r\n\r\n'))
    client.write('a=1')
    await eventually(async () => text().endsWith('ok'))
    expect(body).toBe('a=1')
    expect(passed).toBe(0)
    client.write(get('/'))
    await eventually(async () => answersIn(text()) === 3)
  })

  const last = (...fields: string[]) =>
    post('', 'Connection: close', ...fields).replace('Content-Length: 0', 'Content-Length: 3')
  const second = post('b=2').replace('/form', '/second')
  test.each([
    ['after its body', `${last()}a=1`, second],
    ['in one packet', `${last()}a=1${second}`, ''],
    ['after the body that was expected', last('Expect: 100-continue'), `a=1${second}`],
    ['without waiting for 100', `${last('Expect: 100-continue')}a=1${second}`, ''],
    ['by a reader', `${get('/a=1', 'Connection: close', 'Expect: 100-continue')}${second}`, ''],
    ['by a reader that waits', get('/a=1', 'Connection: close', 'Expect: 100-continue'), second],
    [
      'in chunks',
      `${request('POST /form HTTP/1.1', '', 'Transfer-Encoding: chunked', 'Connection: close', 'Expect: 100-continue')}3\r\na=1\r\n0\r\n\r\n${second}`,
      '',
    ],
    ['after an answer that came instead of 100', last('Expect: 100-continue', 'Refuse: yes'), `a=1${second}`],
  ])(
    'a request behind one with `Connection: close` never reaches the app, sent %s',
    async (_, head, rest) => {
      reply = (socket, text) => {
        if (text.includes('Refuse:')) return void socket.write(ok)
        if (text.includes('Expect:')) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
        if (/a=1(\r\n0\r\n\r\n)?$|^GET/.test(text)) socket.write(ok)
      }
      const { client, text } = open()
      client.once('data', () => client.write(rest))
      client.write(head)
      await once(client, 'close')
      expect(text().match(/HTTP\/1\.1 [2-5]/g)).toHaveLength(1)
      expect(received.join('')).not.toContain('/second')
    },
  )

  test('a large answer in chunks arrives whole, and the connection goes on', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    reply = async socket => {
      reply = other => void other.write(ok)
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      for (let i = 0; i < 50; i++) if (!socket.write(chunk)) await once(socket, 'drain')
      socket.write('0\r\n\r\n')
    }
    const { client, text } = open()
    client.write(get('/'))
    await eventually(async () => text().endsWith('\r\n0\r\n\r\n'))
    expect(text().split('\r\n\r\n', 1)[0]!.length + 4 + 50 * chunk.length + 5).toBe(text().length)
    client.write(get('/'))
    await eventually(async () => text().endsWith('ok'))
    expect(passed).toBe(2)
    expect(bed.accesses[0]).toMatchObject({ bytes: 50 * 65_536 })
  })

  test('a client that reads nothing stops the app, and little is held in memory', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const count = 1_600
    let written = 0
    const writeTo = (socket: Socket): void => {
      while (written++ < count)
        if (!socket.write(chunk)) return void socket.once('drain', () => writeTo(socket))
    }
    reply = socket => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${chunk.length * count}\r\n\r\n`)
      writeTo(socket)
    }
    const client = dial()
    client.pause()
    client.write(get('/'))
    await eventually(async () => {
      const before = written
      await new Promise(settle => setTimeout(settle, 100))
      return written > 0 && written === before
    })
    // The rest of it fills the kernel's buffers of both connections.
    expect(written).toBeLessThan(count / 2)
    expect(passed).toBe(1)
    client.destroy()
    await eventually(async () => held[0]!.destroyed && bed.apps.underWay === 0)
    expect(bed.accesses).toMatchObject([{ status: 200 }])
    expect(bed.accesses[0]!.bytes).toBeLessThan(chunk.length * count)
  })

  test('a client that reads no answers is not read, and is answered when it reads again', async () => {
    const body = 'x'.repeat(60_000)
    reply = socket => void socket.write(ok.replace(': 2', `: ${body.length}`).replace(/ok$/, body))
    const many = 1_500
    const { client, text } = open()
    client.pause()
    let sent = 0
    // The kernel's buffers hold some of the answers.
    do {
      client.write(get('/'))
      sent++
      for (let wait = 0; received.length < sent && wait < 100; wait++)
        await new Promise(settle => setTimeout(settle, 4))
    } while (received.length === sent && sent < many)
    expect(sent).toBeLessThan(many)
    client.resume()
    await eventually(() => answersIn(text()) === sent && text().endsWith(body))
    reply = socket => void socket.write(ok)
    client.write(get('/'))
    await eventually(() => text().endsWith('ok'))
    expect(passed).toBe(sent + 1)
  })

  test.each([
    ['before the answer', 0, () => undefined],
    ['during the answer', 200, (socket: Socket) => void socket.write(ok.replace(': 2', ': 9'))],
  ])('a client that goes away %s ends the request at the app', async (_, status, answer) => {
    reply = answer
    const { client, text } = open()
    client.write(get('/'))
    await eventually(async () => held.length === 1 && (status === 0 || text().endsWith('ok')))
    client.destroy()
    await eventually(async () => held[0]!.destroyed && bed.apps.underWay === 0)
    await eventually(async () => bed.accesses.length === 1)
    expect(bed.accesses[0]!.status).toBe(status)
    expect(passed).toBe(1)
  })

  test('an app that closes the connection just then gets a GET again, once', async () => {
    reply = socket => {
      reply = other => void other.write(ok)
      socket.destroy()
    }
    const { client, text } = open()
    client.write(get('/'))
    await eventually(async () => text() !== '')
    expect(text()).toMatch(/^HTTP\/1\.1 200 /)
    expect(received).toHaveLength(2)
    expect(passed).toBe(1)
  })

  test('an app that closes the connection just then does not get a POST again', async () => {
    reply = socket => void socket.destroy()
    const { client, text } = open()
    client.write(post('a=1'))
    await eventually(async () => text() !== '')
    expect(text()).toMatch(/^HTTP\/1\.1 502 /)
    expect(received).toHaveLength(1)
    expect(passed).toBe(1)
  })
})
