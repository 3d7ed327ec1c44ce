import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Listener, type ListenOptions, listen } from '../../listener.ts'
import { Authority, type MadeCertificate } from '../../testing/authority.ts'
import { eventually } from '../../testing/eventually.ts'
import { handlersWith } from '../../testing/handlers.ts'

const host = 'shop.example.test'
const patient = { handshake: 60_000, headers: 60_000, request: 60_000, idle: 60_000, check: 10 }

let authority: Authority
let made: MadeCertificate
beforeAll(async () => {
  authority = await Authority.make()
  made = await authority.certificate(host)
})
afterAll(() => authority?.remove())

type Handle = (req: IncomingMessage, res: ServerResponse) => void
const hello: Handle = (_req, res) => void res.writeHead(200, ['Content-Type', 'text/plain']).end('hello')

async function open(options: Partial<ListenOptions>, handle: Handle = hello): Promise<Listener> {
  const listener = await listen({ host: '127.0.0.1', port: 0, tlsPort: 0, timeouts: patient, ...options })
  onTestFinished(() => listener.stop(0))
  await listener.dispatchTo(handlersWith(made, { handle: ({ req, res }) => handle(req, res) }))
  return listener
}

function session({ tlsPort }: Listener): ClientHttp2Session {
  const client = connectHttp2(`https://${host}`, {
    createConnection: () =>
      connect({
        host: '127.0.0.1',
        port: tlsPort!,
        ca: authority.ca,
        servername: host,
        ALPNProtocols: ['h2'],
      }),
  })
  client.on('error', () => undefined)
  onTestFinished(() => client.destroy())
  return client
}

async function get(client: ClientHttp2Session, headers = {}): Promise<string> {
  const stream = client.request({ ':path': '/', ...headers })
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

const silentPeer = async (port: number): Promise<Socket> => {
  const socket = connectPlain(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

describe.each([true, false])('an upload over HTTP/1.1, with fastLanes: %s,', fastLanes => {
  it('comes whole if the client has not taken the answer before it', async () => {
    const { tlsPort } = await open({ fastLanes }, (req, res) => {
      if (req.method !== 'POST') return void res.end(Buffer.alloc(1024 * 1024))
      const hash = createHash('sha256')
      req.on('data', chunk => hash.update(chunk)).on('end', () => res.end(hash.digest('hex')))
    })
    const socket = connect({ host: '127.0.0.1', port: tlsPort!, ca: authority.ca, servername: host })
    onTestFinished(() => void socket.destroy())
    const body = randomBytes(1024 * 1024)
    // The lane gives node:http a connection for good whose first request has such a field.
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: x\r\n\r\n`)
    socket.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
    const hash = createHash('sha256').update(body).digest('hex')
    await new Promise<void>((resolve, reject) => {
      socket.on('data', chunk => chunk.includes(hash) && resolve())
      socket.on('error', reject).on('close', () => reject(new Error('The server closed the connection.')))
    })
  })
})

describe('a client of the HTTPS listener', () => {
  it('that never shakes hands is cut off', async () => {
    const listener = await open({ timeouts: { ...patient, handshake: 30 } })
    const socket = await silentPeer(listener.tlsPort!)
    await once(socket.resume(), 'close')
  })

  it('of many that never shake hands makes room for the next, and one that has stays', async () => {
    const listener = await open({ handshakesAtOnce: 5 })
    const busy = session(listener)
    expect(await get(busy)).toBe('hello')
    const peers: Socket[] = []
    for (let count = 0; count < 20; count++) peers.push((await silentPeer(listener.tlsPort!)).resume())
    await eventually(async () => peers.filter(({ closed }) => closed).length >= 15)
    expect(await get(session(listener))).toBe('hello')
    expect(await get(busy)).toBe('hello')
  })

  it('that sends no TLS at all is cut off', async () => {
    const listener = await open({})
    const socket = await silentPeer(listener.tlsPort!)
    socket.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'close')
  })

  it('that opens requests and takes them back by the thousand loses its connection alone', async () => {
    let handled = 0
    const listener = await open({}, (req, res) => {
      if (req.url === '/') hello(req, res)
      else handled++
    })
    const other = session(listener)
    expect(await get(other)).toBe('hello')
    const hostile = session(listener)
    while (!hostile.closed && !hostile.destroyed) {
      const wave = Array.from({ length: 50 }, () => hostile.request({ ':path': '/slow' }))
      const ends = wave.map(
        stream => new Promise(end => stream.on('error', () => undefined).on('close', end)),
      )
      const expected = handled + wave.length
      await eventually(async () => handled >= expected || hostile.destroyed)
      for (const stream of wave) stream.close(constants.NGHTTP2_CANCEL)
      await Promise.all(ends)
    }
    expect(handled).toBeLessThan(1_000)
    expect(await get(other)).toBe('hello')
  })

  it('that opens a stream behind its GOAWAY is answered, and does not abort the process', async () => {
    const listener = await open({})
    const frame = (type: number, flags: number, stream: number, payload = Buffer.alloc(0)) => {
      const head = Buffer.alloc(9)
      head.writeUIntBE(payload.length, 0, 3)
      head[3] = type
      head[4] = flags
      head.writeUInt32BE(stream, 5)
      return Buffer.concat([head, payload])
    }
    // GET, https, /, and the host, with END_STREAM and END_HEADERS.
    const block = Buffer.concat([Buffer.from([0x82, 0x87, 0x84, 0x41, host.length]), Buffer.from(host)])
    const request = (stream: number) => frame(1, 5, stream, block)
    const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)])
    const goaway = frame(7, 0, 0, Buffer.alloc(8))
    const attack = async (writes: Buffer[]): Promise<void> => {
      const servername = host
      const options = { host: '127.0.0.1', port: listener.tlsPort!, ca: authority.ca, servername }
      const socket = connect({ ...options, ALPNProtocols: ['h2'] }).on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'secureConnect')
      const closed = once(socket.resume(), 'close')
      for (const bytes of writes) {
        socket.write(bytes)
        await new Promise(setImmediate)
      }
      await closed
    }
    const together = [Buffer.concat([preface, request(1), goaway, request(3), request(5)])]
    const apart = [preface, request(1), Buffer.concat([goaway, request(3)]), request(5)]
    for (let round = 0; round < 20; round++)
      await Promise.all(Array.from({ length: 10 }, (_, i) => attack(i % 2 === 0 ? together : apart)))
    expect(await get(session(listener))).toBe('hello')
  })

  it('that sends too many headers, or too long ones, is refused, and others are not', async () => {
    let handled = 0
    const listener = await open({}, (req, res) => {
      handled++
      hello(req, res)
    })
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'y']))
    await expect(get(session(listener), many)).rejects.toThrow()
    expect(handled).toBe(0)
    const client = session(listener)
    // The limit on their length holds once the client has heard of it.
    expect(await get(client)).toBe('hello')
    await expect(get(client, { 'x-long': 'y'.repeat(60_000) })).rejects.toThrow()
    expect(handled).toBe(1)
    expect(await get(session(listener))).toBe('hello')
  })

  it('that sends long headers before it has heard of the limit is refused, too', async () => {
    let handled = 0
    const listener = await open({ headerBytes: 2_000 }, (req, res) => {
      handled++
      hello(req, res)
    })
    for (const headers of [
      { 'x-long': 'y'.repeat(60_000) },
      { ':path': `/${'y'.repeat(3_000)}` },
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'y'.repeat(20)])),
    ]) {
      const client = session(listener)
      // In the first bytes of the session, before the server's settings have come.
      const stream = client.request({ ':path': '/', ...headers }).resume()
      const [answer] = await once(stream, 'response')
      expect(answer[':status']).toBe(431)
      await once(stream, 'close')
      expect(await get(client)).toBe('hello')
    }
    expect(handled).toBe(3)
  })

  it('gets no request through that refers to one long field again and again', async () => {
    let handled = 0
    const listener = await open({}, (req, res) => {
      handled++
      hello(req, res)
    })
    // HPACK sends the field once and then one byte each time: 400 KB from less than 5.
    const bomb = { 'x-a': Array<string>(100).fill('y'.repeat(3_900)) }
    for (let i = 0; i < 20; i++) await expect(get(session(listener), bomb)).rejects.toThrow()
    expect(handled).toBe(0)
    expect(await get(session(listener))).toBe('hello')
  })

  it('may send headers as long as by HTTP/1.1', async () => {
    const listener = await open({ headerBytes: 30_000 })
    const client = session(listener)
    expect(await get(client)).toBe('hello')
    expect(await get(client, { 'x-long': 'y'.repeat(25_000) })).toBe('hello')
    await expect(get(client, { 'x-long': 'y'.repeat(31_000) })).rejects.toThrow()
  })

  it('that takes nothing of its answer loses it, though it goes on sending', async () => {
    let isGone = false
    const listener = await open({ timeouts: { ...patient, idle: 50 } }, (req, res) => {
      res.on('close', () => {
        isGone = true
      })
      res.writeHead(200)
      const more = () => {
        while (!isGone && res.write(Buffer.alloc(64 * 1024)));
      }
      res.on('drain', more)
      more()
      req.resume()
    })
    const client = session(listener)
    const stream = client.request({ ':path': '/' }).on('error', () => undefined)
    stream.pause()
    const pings = setInterval(() => client.destroyed || client.ping(() => undefined), 10)
    onTestFinished(() => clearInterval(pings))
    await eventually(async () => isGone)
  })

  it('that never ends its body is cut off, though it goes on sending', async () => {
    const listener = await open(
      { timeouts: { ...patient, headers: 50, request: 50 } },
      req => void req.resume(),
    )
    const stream = session(listener).request({ ':path': '/', ':method': 'POST' }, { endStream: false })
    stream.on('error', () => undefined)
    const drip = setInterval(() => stream.destroyed || stream.write('x'), 10)
    onTestFinished(() => clearInterval(drip))
    await once(stream, 'close')
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  })

  it('that was answered before its body came is told to stop, and its connection stays', async () => {
    const listener = await open({})
    const client = session(listener)
    const stream = client.request({ ':path': '/', ':method': 'POST' }, { endStream: false })
    stream.resume()
    await once(stream, 'close')
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    expect(await get(client)).toBe('hello')
  })

  describe('that writes its own frames', () => {
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    const types = { headers: 1, settings: 4, continuation: 9 }

    function frame(type: keyof typeof types, flags: number, stream: number, payload: Buffer): Buffer {
      const head = Buffer.alloc(9)
      head.writeUIntBE(payload.length, 0, 3)
      head.writeUInt8(types[type], 3)
      head.writeUInt8(flags, 4)
      head.writeUInt32BE(stream, 5)
      return Buffer.concat([head, payload])
    }

    /** HPACK: `:method GET`, `:scheme https`, `:path /`, from the static table. */
    const request = Buffer.from([0x82, 0x87, 0x84])
    const nothing = Buffer.alloc(0)
    const settings = frame('settings', 0, 0, nothing)

    /** Sends `more` again and again, whether anything is read or not, until the connection is closed. */
    async function flood(listener: Listener, first: Buffer[], more: Buffer): Promise<void> {
      const socket = connect({
        host: '127.0.0.1',
        port: listener.tlsPort!,
        ca: authority.ca,
        servername: host,
        ALPNProtocols: ['h2'],
      })
      onTestFinished(() => void socket.destroy())
      const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
      socket.on('error', () => undefined)
      await once(socket, 'secureConnect')
      for (const part of [preface, settings, ...first]) socket.write(part)
      const send = (): void => {
        if (!socket.destroyed) socket.write(more, () => setImmediate(send))
      }
      send()
      socket.resume()
      await closed
    }

    it.each([
      ['header fields without end', () => frame('continuation', 0, 1, literal('x-a', 'y'.repeat(1_000)))],
      ['empty CONTINUATION frames without end', () => frame('continuation', 0, 1, nothing)],
    ])('loses its connection for %s, alone', async (_, more) => {
      const listener = await open({})
      const other = session(listener)
      expect(await get(other)).toBe('hello')
      await flood(listener, [frame('headers', 0, 1, request)], more())
      expect(await get(other)).toBe('hello')
    })
  })
})

/** HPACK: a literal field without Huffman coding. */
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0]), text(name), text(value)])

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length = [127]
  let rest = bytes.length - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  length.push(rest)
  return Buffer.concat([Buffer.from(length), bytes])
}
