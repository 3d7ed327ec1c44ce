import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer as createRelay, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { exchange } from '../../../testing/connection.ts'
import { eventually } from '../../../testing/eventually.ts'
import { startTestbed, type Testbed } from '../../testbed.ts'
import { get, listenWithTls, request, startLane } from './testbed.ts'

const last = get('/', 'Connection: close')

describe('the lane before an edge', () => {
  let bed: Testbed

  beforeAll(async () => {
    bed = await startTestbed({ fastLanes: true })
    await bed.deploy('shop', { 'index.html': 'home', 'medium.txt': 'm'.repeat(100_000) })
    for (const path of ['/', '/medium.txt']) await bed.ask('shop', path)
  })

  afterAll(() => bed.stop())

  test('does not read on from a client that takes no answers, and goes on when it does', async () => {
    const wanted = 400
    const size = await new Promise<number>((done, fail) => {
      let received = 0
      const socket = connect(bed.port, '127.0.0.1', () => {
        socket.pause()
        let sent = 0
        const more = () => {
          if (sent++ === wanted) socket.write(last)
          else socket.write(get('/medium.txt'), () => setImmediate(more))
        }
        more()
        setImmediate(() => socket.resume())
      })
      socket.on('data', chunk => {
        received += chunk.length
      })
      socket.on('error', fail)
      socket.on('close', () => done(received))
    })
    expect(size).toBeGreaterThan(wanted * 100_000)
  })

  test('answers many requests that come at once, in their order', async () => {
    const answers = await exchange(bed.port, [
      `${get('/').repeat(500)}${get('/medium.txt').repeat(20)}${last}`,
    ])
    const lengths = [...answers.matchAll(/Content-Length: (\d+)/g)].map(match => Number(match[1]))
    expect(lengths).toEqual([...Array(500).fill(4), ...Array(20).fill(100_000), 4])
  })

  test('answers requests with the same fields one by one, each with its own file', async () => {
    const agent = 'User-Agent: T'
    const paths = ['/', '/medium.txt', '/nowhere', '/', '/medium.txt']
    const answers = await exchange(bed.port, [...paths.map(path => get(path, agent)), last])
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(match => match[1])
    const lengths = [...answers.matchAll(/Content-Length: (\d+)/g)].map(match => match[1])
    expect(statuses).toEqual(['200', '200', '404', '200', '200', '200'])
    expect(lengths).toEqual(['4', '100000', expect.any(String), '4', '100000', '4'])
  })

  test('forgets a deployment as soon as it is told to', async () => {
    await bed.deploy('moving', { 'index.html': 'one' })
    const ask = () => exchange(bed.port, [get('/').replace('shop', 'moving'), last])
    await ask()
    expect(await ask()).toContain('one')
    await bed.deploy('moving', { 'index.html': 'two' })
    expect(await ask()).toContain('two')
  })

  test('ends its connections when it is closed', async () => {
    const own = await startTestbed({ fastLanes: true })
    await own.deploy('shop', { 'index.html': 'home' })
    await own.ask('shop', '/')
    await new Promise<void>(done => {
      const socket = connect(own.port, '127.0.0.1', () => socket.write(get('/')))
      socket.once('data', () => void own.stop())
      socket.on('close', () => done())
    })
  })
})

/** Passes the bytes of one connection on to `port`. `reset` resets its other side right after the next bytes for it. */
async function listenBefore(port: number) {
  let isResetting = false
  const relay = createRelay(near => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => undefined).on('close', () => near.destroy())
    far.on('data', chunk => void near.write(chunk))
    near.on('data', chunk => {
      far.write(chunk)
      if (isResetting) far.resetAndDestroy()
    })
    onTestFinished(() => void far.destroy())
  })
  await new Promise<void>(done => relay.listen(0, '127.0.0.1', done))
  onTestFinished(() => void relay.close())
  const reset = () => {
    isResetting = true
  }
  return { port: (relay.address() as AddressInfo).port, reset }
}

describe('a connection', () => {
  test('comes back from node:http when the request is answered', async () => {
    const { port, counted, asked } = await startLane(4)
    const answers = await exchange(port, [
      get('/hot'),
      get('/one'),
      get('/hot'),
      `${request('POST', '/two', 'Content-Length: 3')}abc`,
      get('/hot', 'If-None-Match: "a"'),
      request('HEAD', '/hot'),
      get('/hot', 'Range: bytes=0-1'),
      get('/hot'),
      get('/three', 'Connection: close'),
    ])
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toHaveLength(9)
    expect(asked).toEqual(['GET /one', 'POST /two', 'GET /hot', 'GET /three'])
    expect(counted.map(({ status, bytes }) => [status, bytes])).toEqual([
      [200, 4],
      [200, 4],
      [304, 0],
      [200, 0],
      [200, 4],
    ])
  })

  test('comes back after a request whose head came in pieces', async () => {
    const { dial, counted, asked } = await startLane(4)
    const socket = dial()
    for (const piece of ['GET /hot HT', 'TP/1.1\r\nHost: a', '\r\n\r\n']) {
      socket.write(piece)
      await new Promise(setImmediate)
    }
    await new Promise(answered => socket.once('data', answered))
    expect(asked).toEqual(['GET /hot'])
    socket.write(get('/hot'))
    await eventually(async () => counted.length === 1)
  })

  test('does not come back before the body of the request has come', async () => {
    const { dial, counted, asked } = await startLane(4)
    const socket = dial()
    socket.write(request('POST', '/early', 'Content-Length: 60'))
    await new Promise(answered => socket.once('data', answered))
    socket.write(get('/hot').slice(0, 60).padEnd(60, ' '))
    socket.write(get('/after'))
    await eventually(async () => asked.length === 2)
    expect(asked).toEqual(['POST /early', 'GET /after'])
    expect(counted).toEqual([])
  })

  test('is node:http’s from then on if more comes before the request is answered', async () => {
    const answers: (() => void)[] = []
    const { dial, counted, asked } = await startLane(4, (_req, res) => {
      answers.push(() => res.end())
    })
    dial().write(get('/slow') + get('/hot'))
    await eventually(async () => asked.length === 2)
    expect(asked).toEqual(['GET /slow', 'GET /hot'])
    for (const answer of answers) answer()
    expect(counted).toEqual([])
  })

  test('that takes nothing of its answers is cut off, however little is left to send', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, dial } = await startLane(4 * 1024)
    server.setTimeout(10_000)
    const accepted = new Promise<Socket>(accept => server.once('connection', accept))
    const client = dial()
    client.pause()
    const socket = await accepted
    while (socket.writableLength === 0) {
      const before = socket.bytesRead
      client.write(get('/hot'))
      while (socket.bytesRead === before) await new Promise(setImmediate)
    }
    vi.advanceTimersByTime(5_000)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(15_000)
    expect(socket.destroyed).toBe(true)
  })

  test('that takes its answer slowly is not taken for an idle one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const bytes = 64 * 1024 * 1024
    const { dial } = await startLane(bytes)
    const client = dial()
    client.write(get('/hot'))
    await new Promise(begun => client.once('readable', begun))
    vi.advanceTimersByTime(60_000)
    let received = 0
    for await (const chunk of client as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > bytes) break
    }
    expect(received).toBeGreaterThan(bytes)
  })

  test('that takes a few bytes of a large answer now and then is not cut off', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, dial } = await startLane(64 * 1024 * 1024)
    server.setTimeout(5_000)
    const accepted = new Promise<Socket>(accept => server.once('connection', accept))
    const client = dial()
    client.write(get('/hot'))
    const socket = await accepted
    const queued = () => (socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize
    await eventually(() => queued() > 0)
    for (let round = 0; round < 12; round++) {
      const before = queued()
      while (queued() === before) {
        client.read(16 * 1024)
        await new Promise(setImmediate)
      }
      vi.advanceTimersByTime(5_000)
      expect(socket.destroyed).toBe(false)
    }
  })

  test.each([4, 100_000, 400_000])(
    'with TLS is closed if it is reset after a request for %i bytes',
    async bytes => {
      const { server } = await startLane(bytes)
      const accepted = new Promise<Socket>(accept => server.once('connection', accept))
      const { port, reset } = await listenBefore(await listenWithTls(server))
      const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      onTestFinished(() => void client.destroy())
      client.on('error', () => undefined)
      await once(client, 'secureConnect')
      const socket = await accepted
      reset()
      client.write(get('/hot'))
      await eventually(() => socket.closed)
    },
  )

  test('that is idle is ended after the time for which it may be kept', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, dial } = await startLane(4)
    const accepted = new Promise<Socket>(accept => server.once('connection', accept))
    const client = dial()
    const socket = await accepted
    client.write(get('/hot'))
    await new Promise(answered => client.once('data', answered))
    vi.advanceTimersByTime(10_000)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(10_000)
    expect(socket.destroyed).toBe(true)
  })
})

test('bodies that come at the same time, and are read late, have no bytes of each other', async () => {
  const { dial } = await startLane(4, async (req, res) => {
    // Meanwhile the connections are read into the same memory.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    const digest = createHash('sha256')
    for await (const chunk of req) digest.update(chunk)
    res.end(digest.digest('hex'))
  })
  const size = 1_000_000
  const upload = async (body: Buffer): Promise<string> => {
    const client = dial()
    client.write(request('POST', '/upload', `Content-Length: ${size}`, 'Connection: close'))
    for (let at = 0; at < size; at += 50_000) {
      client.write(body.subarray(at, at + 50_000))
      await new Promise(setImmediate)
    }
    const parts = (await client.toArray()) as Buffer[]
    return Buffer.concat(parts).toString().slice(-64)
  }
  const bodies = Array.from({ length: 8 }, () => randomBytes(size))
  const expected = bodies.map(body => createHash('sha256').update(body).digest('hex'))
  expect(await Promise.all(bodies.map(upload))).toEqual(expected)
})

describe('a connection whose first request is for the platform itself', () => {
  const isForNode = (host: string) => host === 'api.example.test'
  const toApi = (path: string, ...fields: string[]) =>
    get(path, ...fields).replace('shop.example.test', 'api.example.test')

  test("is node:http's for good, with every request that comes on it", async () => {
    const { port, asked, counted } = await startLane(3, undefined, { isForNode })
    const answers = await exchange(port, [
      toApi('/me'),
      `${request('POST', '/projects', 'Content-Length: 4')}body${toApi('/me')}`,
      get('/hot'),
      last,
    ])
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(5)
    expect(asked).toEqual(['GET /me', 'POST /projects', 'GET /me', 'GET /hot', 'GET /'])
    expect(counted).toEqual([])
  })

  test('may send that request in parts', async () => {
    const { dial, asked } = await startLane(
      3,
      (req, res) => void req.resume().on('end', () => res.end('ok')),
      {
        isForNode,
      },
    )
    const client = dial()
    const post = request('POST', '/projects', 'Content-Length: 8').replace('shop', 'api')
    client.write(`${post}body`)
    await eventually(() => asked.length === 1)
    client.write('rest')
    const [answer] = (await once(client, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/)
  })

  test('stays with the lane if a request for a site came before', async () => {
    const { port, asked, counted } = await startLane(3, undefined, { isForNode })
    await exchange(port, [get('/cold'), toApi('/me'), get('/hot'), last])
    expect(asked).toEqual(['GET /cold', 'GET /me', 'GET /'])
    expect(counted).toHaveLength(1)
  })
})
