// Requests by HTTP/1.1 whose body comes after the head. The lane passes it to the app as it comes.
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
/** What the app received, in one text for each connection, and what it does when more comes. */
let received: Map<Socket, string>
let onMore: (socket: Socket, text: string) => void
/** How many requests node:http got. */
let ofNode: number

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const headOf = (length: number, line = 'POST /form') =>
  `${line} HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: ${length}\r\n\r\n`
const long = Array.from({ length: 60_000 }, (_, i) => `${i}\n`).join('')
const textOf = () => [...received.values()].join('')
const bodyIn = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

beforeEach(async () => {
  received = new Map()
  onMore = (socket, text) => {
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (bodyIn(text).length >= length) socket.write(ok)
  }
  app = await startRawApp((chunk, socket) => {
    const text = (received.get(socket) ?? '') + chunk
    received.set(socket, text)
    onMore(socket, text)
  })
  bed = await startTestApp((_req, res) => res.end(), { fastLanes: true, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  // Opens a connection to the app.
  await bed.ask('shop', '/')
  received.clear()
  ofNode = 0
  bed.server.on('request', () => ofNode++)
})

afterEach(async () => {
  await bed.stop()
  await app.stop()
})

/** A client, and what it has received so far. */
function open(): { client: Socket; text: () => string } {
  const client = connect({ port: bed.port, host: '127.0.0.1', noDelay: true })
  client.on('error', () => undefined)
  onTestFinished(() => void client.destroy())
  let text = ''
  client.on('data', data => {
    text += data.toString('latin1')
  })
  return { client, text: () => text }
}

/** Sends the head, and waits until the app has it. */
async function begin(length: number, line?: string) {
  const opened = open()
  opened.client.write(headOf(length, line))
  await eventually(() => textOf().endsWith('\r\n\r\n'))
  return opened
}

test.each([3, long.length])('a body of %i bytes that comes later goes to the app', async length => {
  const { client, text } = open()
  for (let i = 1; i < 3; i++) {
    received.clear()
    client.write(headOf(length))
    await eventually(() => textOf().endsWith('\r\n\r\n'))
    client.write(long.slice(0, length))
    await eventually(() => text().split('ok').length === i + 1)
    expect(bodyIn(textOf())).toBe(long.slice(0, length))
  }
  expect(ofNode).toBe(0)
  expect(bed.counts.passedToApps).toBe(2)
  expect(bed.accesses.at(-1)).toMatchObject({ method: 'POST', status: 200, bytes: 2, times: 2 })
})

test('an app that does not read is not sent more than there is room for', async () => {
  onMore = socket => void socket.pause()
  const { client } = open()
  const piece = Buffer.alloc(1024 * 1024, 'x')
  client.write(headOf(200 * piece.length))
  let taken = 0
  const more = () => {
    if (taken++ < 200) client.write(piece, more)
  }
  more()
  let before = -1
  const stands = () => {
    const same = taken === before
    before = taken
    return same && taken > 0
  }
  await expect.poll(stands, { interval: 300 }).toBe(true)
  expect(taken).toBeLessThan(100)
})

test('an app may answer before it has the whole body, and go on reading', async () => {
  const { client, text } = await begin(6)
  const [socket] = received.keys()
  onMore = () => undefined
  socket!.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n')
  await eventually(() => text().includes('one'))
  client.write('abc')
  await eventually(() => textOf().endsWith('abc'))
  client.write('def')
  await eventually(() => textOf().endsWith('abcdef'))
  socket!.write('0\r\n\r\n')
  await eventually(() => text().endsWith('0\r\n\r\n'))
  expect([...received.keys()]).toHaveLength(1)
  expect(ofNode).toBe(1)
})

test('an app may refuse a body, and the client can still send it and use its connection again', async () => {
  const { client, text } = await begin(long.length)
  const [socket] = received.keys()
  onMore = () => undefined
  socket!.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig')
  await eventually(() => text().endsWith('big'))
  client.write(long)
  onMore = socket => void socket.write(ok)
  client.write('GET / HTTP/1.1\r\nHost: shop.example.test\r\n\r\n')
  await eventually(() => text().endsWith('ok'))
})

test('an interim answer before the body is passed on as without the lane', async () => {
  const { client, text } = await begin(3)
  const [socket] = received.keys()
  socket!.write('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n')
  await eventually(() => text().includes('103 Early Hints'))
  client.write('a=1')
  await eventually(() => text().endsWith('ok'))
  expect(bodyIn(textOf())).toBe('a=1')
})

describe.each(['POST /form', 'PUT /form'])('%s', line => {
  test.each([
    ['closes the connection', (socket: Socket) => void socket.destroy()],
    ['answers with something else than HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH\r\n')],
  ])('is not sent again if the app has a part of the body and %s', async (_, answer) => {
    const { client, text } = await begin(6, line)
    onMore = (socket, text) => {
      if (text.endsWith('abc')) answer(socket)
    }
    client.write('abc')
    await eventually(() => text().includes('\r\n\r\n'))
    client.write('def')
    expect(text()).toMatch(/^HTTP\/1\.1 502 /)
    expect(textOf().split(line)).toHaveLength(2)
  })

  test('is not sent again if another deployment goes live before the app answers', async () => {
    const { client, text } = await begin(6, line)
    onMore = () => undefined
    client.write('abc')
    await eventually(() => textOf().endsWith('abc'))
    await bed.deployApp('shop')
    const [socket] = received.keys()
    socket!.write('HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nodd')
    client.write('def')
    await eventually(() => text().includes('\r\n\r\n'))
    expect(text()).toMatch(/^HTTP\/1\.1 502 /)
    expect(textOf().split(line)).toHaveLength(2)
  })
})

test('a client that goes away in the middle of its body ends the request', async () => {
  const { client } = await begin(6)
  const [socket] = received.keys()
  const closed = new Promise(done => socket!.once('close', done))
  client.write('abc')
  await eventually(() => textOf().endsWith('abc'))
  client.destroy()
  await closed
  await eventually(() => bed.apps.underWay === 0)
  expect(bed.accesses.at(-1)).toMatchObject({ method: 'POST', status: 0 })
})

test('what comes behind the body is the next request', async () => {
  const { client, text } = await begin(3)
  const [first] = received.keys()
  onMore = (socket, text) => {
    if (text.startsWith('GET')) socket.write(ok)
  }
  client.write('a=1GET / HTTP/1.1\r\nHost: shop.example.test\r\n\r\n')
  await eventually(() => textOf().includes('a=1'))
  first!.write(ok)
  await eventually(() => text().split('ok').length === 3)
  expect(textOf()).toContain('GET / HTTP/1.1')
})
