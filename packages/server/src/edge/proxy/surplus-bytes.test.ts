// Apps that send more bytes than their answer has. No such byte may reach the client of the next request.
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from './testapp.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'

let agent: Agent
let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
let reply: (socket: Socket, request: string) => void
/** The connections of the app, one for each request that it received. */
let used: Socket[]

const ways: [string, boolean][] = [
  ['through the lane', true],
  ['through node:http', false],
]

describe.each(ways)('%s', (_way, fastLanes) => {
  beforeEach(async () => {
    agent = new Agent({ keepAlive: true })
    used = []
    app = await startRawApp((request, socket) => {
      used.push(socket)
      reply(socket, request)
    })
    bed = await startTestApp((_req, res) => res.end(), { fastLanes, appTimeouts: patient })
    bed.apps.address = { host: '127.0.0.1', port: app.port }
    // After this, a connection to the app is open, and the lane knows that answers to `/` are not cached.
    reply = socket => void socket.write(ok)
    await ask()
    used = []
    bed.counts.passedToApps = 0
  })

  afterEach(async () => {
    agent.destroy()
    await bed.stop()
    await app.stop()
  })

  /** As a browser asks: the lane does not serve requests with `Connection: close`. */
  const ask = (method = 'GET') => bed.ask('shop', '/', { method, agent })

  /** The answer to a later request on the same connection is the rest of the one before. */
  const lateRest = (head: string) => (socket: Socket) =>
    void socket.write(used.filter(it => it === socket).length === 1 ? head : evil)

  const bodiless: [string, string, string][] = [
    ['HEAD', 'with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 44\r\n\r\n'],
    ['HEAD', 'with chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['HEAD', 'without a length', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['GET', 'of the status 204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 44\r\n\r\n'],
    ['GET', 'of the status 204 with chunks', 'HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['GET', 'of the status 304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 44\r\n\r\n'],
    ['GET', 'of the status 304 with chunks', 'HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ]

  test.each(bodiless)('a late body of an answer to %s %s reaches nobody', async (method, _, head) => {
    reply = lateRest(head)
    const first = await ask(method)
    expect([first.text, bed.counts.passedToApps]).toEqual(['', fastLanes ? 1 : 0])
    reply = lateRest(ok)
    const next = await ask()
    expect(next.text).toBe('ok')
    expect(used[1]).not.toBe(used[0])
    await eventually(() => used[0]!.destroyed)
  })

  test.each(bodiless)('a body with the answer to %s %s reaches nobody', async (method, _, head) => {
    reply = socket => void socket.write(head + evil)
    const first = await ask(method)
    reply = socket => void socket.write(ok)
    const next = await ask()
    expect([first.text, next.text]).toEqual(['', 'ok'])
    await eventually(() => used[0]!.destroyed)
  })

  test.each([
    ['at once', ok + evil],
    ['later', ok],
  ])('more bytes than the Content-Length, sent %s, close the connection', async (when, answer) => {
    reply = socket => void socket.write(answer)
    const first = await ask()
    if (when === 'later') used[0]!.write(evil)
    await eventually(() => used[0]!.destroyed)
    reply = socket => void socket.write(ok)
    const next = await ask()
    expect([first.text, next.text]).toEqual(['ok', 'ok'])
  })

  test('answers without a body, and without the announcement of one, keep the connection', async () => {
    for (const status of ['204 No Content', '304 Not Modified', '304 Not Modified\r\nContent-Length: 0']) {
      reply = socket => void socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
      await ask()
    }
    expect(new Set(used).size).toBe(1)
    expect(bed.counts.passedToApps).toBe(fastLanes ? 3 : 0)
  })
})
