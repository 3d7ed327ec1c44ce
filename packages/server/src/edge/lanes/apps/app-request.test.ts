// Requests that the lane passes to an app.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { exchange } from '../../../testing/connection.ts'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'
import type { TestbedSettings } from '../../testbed.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
/** What the app received, and how it answers to it. */
let received: string[]
/** The connections of those requests. */
let held: Socket[]
let reply: (socket: Socket, request: string) => void

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok'
const request = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: shop.example.test', ...fields, '', ''].join('\r\n')
const last = request('/', 'Connection: close')

/** Starts an app whose answers to `/` are known not to be cacheable, and to which a connection is open. */
async function start(settings: Partial<TestbedSettings> = {}): Promise<void> {
  received = []
  held = []
  reply = socket => void socket.write(ok)
  app = await startRawApp((chunk, socket) => {
    received.push(chunk)
    held.push(socket)
    reply(socket, chunk)
  })
  bed = await startTestApp((_req, res) => res.end(), { fastLanes: true, appTimeouts: patient, ...settings })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  await bed.ask('shop', '/')
  received = []
  held = []
  bed.accesses.length = 0
}

beforeEach(() => start())

afterEach(async () => {
  await bed.stop()
  await app.stop()
})

function dial(): Socket {
  const socket = connect({ port: bed.port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Collects all that the client receives from now on. */
function collect(client: Socket): () => string {
  let text = ''
  client.on('data', data => {
    text += data.toString('latin1')
  })
  return () => text
}

describe('the lane passes a request to an app', () => {
  test('with the headers of a browser', async () => {
    const browser = [
      'Connection: keep-alive',
      'Upgrade-Insecure-Requests: 1',
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
      'Sec-Fetch-Site: none',
      'Sec-CH-UA: "Chromium";v="140"',
      'Referer: https://example.org/',
      'Accept-Encoding: gzip, deflate, br, zstd',
      'Accept-Language: en-GB,en;q=0.9',
      'Cookie: session=abc; theme=dark',
      'If-None-Match: W/"2-abc"',
    ]
    await exchange(bed.port, [request('/', ...browser), last])
    expect(bed.counts.passedToApps).toBe(1)
    const lines = received[0]!.split('\r\n')
    for (const field of browser) expect(lines).toContain(field)
    expect(lines).toContain('X-Forwarded-For: 127.0.0.1')
  })

  test('and counts its answer once', async () => {
    await exchange(bed.port, [request('/', 'User-Agent: me'), last])
    expect(bed.counts.passedToApps).toBe(1)
    await eventually(async () => bed.accesses.length === 2)
    expect(bed.accesses[0]).toMatchObject({
      ...{
        status: 200,
        bytes: 2,
        cache: 'BYPASS',
        html: true,
        method: 'GET',
        target: '/',
        projectId: 'prj_shop',
      },
      ...{ host: 'shop.example.test', peer: '127.0.0.1', fields: 'User-Agent: me\r\n', times: 1 },
    })
  })

  test('and under load joins equal answers in the access log', async () => {
    const other = ok.replace('200 OK', '404 Not Found')
    reply = (socket, text) => void socket.write(text.includes('X-Other') ? other : ok)
    await exchange(bed.port, [...Array(3).fill(request('/')), request('/', 'X-Other: 1'), last])
    expect(bed.counts.passedToApps).toBe(4)
    await eventually(async () => bed.accesses.length === 3)
    expect(bed.accesses.map(({ status, times, bytes }) => [status, times, bytes])).toEqual([
      [200, 3, 2],
      [404, 1, 2],
      [200, 1, 2],
    ])
  })

  test('and does not add to an entry that is being counted', async () => {
    const client = dial()
    const text = collect(client)
    for (let count = 1; count <= 3; count++) {
      client.write(request('/'))
      await eventually(async () => text().split('\r\n\r\nok').length === count + 1)
      for (const access of bed.accesses) access.taken = true
    }
    expect(bed.accesses.map(({ times }) => times)).toEqual([1, 1, 1])
  })

  test('and names it in the request and in the answer by the same id', async () => {
    const answers = await exchange(bed.port, [request('/'), last])
    const id = /X-Svc-Request-Id: (\S+)/.exec(received[0]!)?.[1]
    expect(answers).toContain(`X-Svc-Request-Id: ${id}\r\n`)
  })

  test('by the id that it has already sent, if node:http finishes the answer', async () => {
    reply = socket => void socket.write(`HTTP/1.1 102 Processing\r\n\r\n${ok}`)
    const client = dial()
    client.write(request('/'))
    const text = collect(client)
    await eventually(async () => text().endsWith('ok'))
    const id = /X-Svc-Request-Id: (\S+)/.exec(received[0]!)?.[1]
    expect(text()).toContain(`X-Svc-Request-Id: ${id}\r\n`)
    expect(text()).toMatch(/^HTTP\/1\.1 102 /)
    expect(received).toHaveLength(1)
    await eventually(async () => bed.accesses.length === 1 && bed.apps.underWay === 0)
  })

  test('only while it is known that the answer is not stored', async () => {
    await exchange(bed.port, [request('/new'), last])
    expect(bed.counts.passedToApps).toBe(0)
    await exchange(bed.port, [request('/new'), last])
    expect(bed.counts.passedToApps).toBe(1)
    bed.time.now += 11_000
    await exchange(bed.port, [request('/new'), last])
    expect(bed.counts.passedToApps).toBe(1)
  })

  test.each([
    ['a preview', async () => `${(await bed.deployApp('shop')).id.replace('_', '-')}--shop.example.test`],
    [
      'an app with redirects for the path',
      async () => {
        await bed.deployApp('shop', { 'server.js': '', _redirects: '/ /elsewhere 302\n' })
        return 'shop.example.test'
      },
    ],
    [
      'an app with a password for the path',
      async () => {
        await bed.deployApp('shop', { 'server.js': '', _headers: '/*\n  Basic-Auth: a:b\n' })
        return 'shop.example.test'
      },
    ],
  ])('but not to %s', async (_, prepare) => {
    const host = await prepare()
    for (let i = 0; i < 3; i++) await bed.ask(host, '/')
    expect(bed.counts.passedToApps).toBe(0)
  })
})

describe('a client that goes away', () => {
  test.each([
    ['before the answer', 0, () => undefined],
    ['during the answer', 200, (socket: Socket) => void socket.write(ok.replace(': 2', ': 9'))],
  ])('%s ends the request at the app', async (_, status, answer) => {
    let open: Socket | undefined
    reply = socket => {
      open = socket
      answer(socket)
    }
    const client = dial()
    client.write(request('/'))
    await eventually(async () => open !== undefined && bed.counts.passedToApps === 1)
    if (status > 0) await once(client, 'data')
    client.destroy()
    await eventually(async () => open!.destroyed && bed.apps.underWay === 0)
    expect(bed.accesses.map(access => access.status)).toEqual([status])
    expect(bed.errors).toEqual([])
  })
})

describe('an answer of an app', () => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const count = 800

  test('waits for a client that reads slowly, and is then whole', async () => {
    let written = 0
    reply = async socket => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${chunk.length * count}\r\n\r\n`)
      for (; written < count; written++) if (!socket.write(chunk)) await once(socket, 'drain')
    }
    const client = dial()
    client.write(request('/'))
    await once(client, 'data')
    client.pause()
    await eventually(async () => {
      const before = written
      await new Promise(settle => setTimeout(settle, 50))
      return written === before
    })
    expect(written).toBeLessThan(count)
    let size = 0
    client.on('data', data => {
      size += data.length
    })
    client.resume()
    await eventually(async () => size >= chunk.length * (count - 1))
    await eventually(async () => bed.accesses.length === 1)
    expect(bed.accesses[0]).toMatchObject({ status: 200, bytes: chunk.length * count })
  })

  test('that does not come in time is a 504, and is not asked for again', async () => {
    await bed.stop()
    await app.stop()
    await start({ appTimeouts: { ...patient, answer: 100 } })
    reply = () => undefined
    const client = dial()
    client.write(request('/'))
    const [data] = await once(client, 'data')
    expect(String(data)).toMatch(/^HTTP\/1\.1 504 /)
    expect(bed.counts.passedToApps).toBe(1)
    expect(received).toHaveLength(1)
    await eventually(async () => bed.apps.underWay === 0)
  })

  test.each([
    ['', ok.replace(': 2', ': 9')],
    [
      ' after a chunk with an extension',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n',
    ],
  ])('that stops%s is cut off', async (_, answer) => {
    await bed.stop()
    await app.stop()
    await start({ appTimeouts: { ...patient, idle: 100 } })
    reply = socket => void socket.write(answer)
    const client = dial()
    client.write(request('/'))
    const text = collect(client)
    await once(client, 'close')
    expect(text()).toMatch(/\r\nok(\r\n)?$/)
    expect(bed.accesses).toMatchObject([{ status: 200, bytes: 2 }])
    await eventually(() => bed.apps.underWay === 0)
  })

  test('is read anew if its head differs from the one before', async () => {
    const replies = [ok, ok, ok.replace('text/html', 'text/plain'), ok.replace(/: 2(.*)ok/s, ': 4$1okay'), ok]
    reply = socket => void socket.write(replies.shift() ?? ok)
    const answers = await exchange(bed.port, [...Array(5).fill(request('/')), last])
    expect(answers.match(/Content-Type: text\/\w+/g)?.map(type => type.slice(19))).toEqual([
      'html',
      'html',
      'plain',
      'html',
      'html',
      'html',
    ])
    expect(answers.match(/\r\n\r\nok(?:ay)?/g)?.map(body => body.trim())).toEqual([
      'ok',
      'ok',
      'ok',
      'okay',
      'ok',
      'ok',
    ])
    expect(bed.counts.passedToApps).toBe(5)
  })

  test('that names its own address is rewritten, also when it is repeated', async () => {
    reply = socket => {
      const url = `http://localhost:${app.port}/next`
      socket.write(ok.replace('Content-Type: text/html', `Refresh: 0; url=${url}`))
    }
    const answers = await exchange(bed.port, [request('/'), request('/'), last])
    expect(answers.match(/Refresh: .*/g)).toEqual(
      Array(3).fill('Refresh: 0; url=http://shop.example.test/next'),
    )
  })

  test('of which more comes after its end is not mixed with the next one', async () => {
    const client = dial()
    const text = collect(client)
    client.write(request('/'))
    await eventually(async () => text().endsWith('ok'))
    held[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')
    await eventually(async () => held[0]!.destroyed)
    client.write(last)
    await once(client, 'close')
    expect(text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    expect(text()).not.toContain('evil')
  })

  test('that node:http has to read, but whose request it refuses, leaves no connection open', async () => {
    const client = dial()
    const text = collect(client)
    const { server } = bed
    // node:http answers one request on this connection, and refuses the next one.
    server.maxRequestsPerSocket = 2
    client.write(request('/', 'Range: bytes=0-'))
    await eventually(() => text().endsWith('\r\n\r\nok'))
    server.maxRequestsPerSocket = 1
    held = []
    reply = socket => void socket.write(ok.replace('HTTP/1.1', 'HTTP/1.0'))
    client.write(request('/'))
    await eventually(() => text().includes('HTTP/1.1 503 '))
    await eventually(() => held.length === 1 && held[0]!.destroyed)
  })

  test('on a connection that the app had closed is asked for on another', async () => {
    let isFirst = true
    reply = socket => {
      if (!isFirst) return void socket.write(ok)
      isFirst = false
      socket.destroy()
    }
    expect(await exchange(bed.port, [request('/'), last])).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(bed.counts.passedToApps).toBe(1)
    expect(received).toHaveLength(3)
  })
})

test('the lane lets the answer of an app finish when it is closed', async () => {
  let finish: (() => void) | undefined
  reply = socket => {
    finish = () => void socket.write(ok)
  }
  const client = dial()
  client.write(request('/'))
  await eventually(async () => finish !== undefined)
  bed.closeLane()
  finish!()
  const [data] = await once(client, 'data')
  expect(String(data)).toMatch(/\r\n\r\nok$/)
  await once(client, 'close')
})
