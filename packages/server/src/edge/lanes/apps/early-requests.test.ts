// Requests that a client sends while the lane passes an earlier one to an app.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
/** What the app received, the connections on which it did, and how it answers. */
let received: string[]
let held: Socket[]
let reply: (socket: Socket) => void

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok'
const request = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: shop.example.test', ...fields, '', ''].join('\r\n')
const last = request('/', 'Connection: close')

beforeAll(async () => {
  app = await startRawApp((text, socket) => {
    received.push(text)
    held.push(socket)
    reply(socket)
  })
  bed = await startTestApp((_req, res) => res.end(), { fastLanes: true, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
})

afterAll(async () => {
  await bed.stop()
  await app.stop()
})

beforeEach(async () => {
  received = []
  held = []
  reply = socket => void socket.write(ok)
  // The cache learns that the answer is not stored, and a connection to the app is opened.
  await bed.ask('shop', '/')
  received = []
  held = []
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

/** The app begins its first answer, and completes it when the returned function is called. It answers later requests at once. */
function holdFirstAnswer(): () => void {
  let first: Socket | undefined
  reply = socket => {
    if (first !== undefined) return void socket.write(ok)
    first = socket
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n')
  }
  return () => void first!.write('0\r\n\r\n')
}

describe('requests that a client sends before the answer', () => {
  test('has begun reach the app at once', async () => {
    reply = () => undefined
    const { client, text } = open()
    client.write(request('/'))
    await eventually(async () => held.length === 1)
    client.write(request('/second') + last)
    await eventually(async () => held.length === 3)
    for (const [i, socket] of held.reverse().entries()) socket.write(ok.replace('ok', String(30 - i)))
    await once(client, 'close')
    expect(
      text()
        .match(/\r\n\r\n\d\d/g)
        ?.map(body => body.trim()),
    ).toHaveLength(3)
    expect(received).toHaveLength(3)
  })

  test('has begun are broken off with it if it is malformed', async () => {
    reply = () => undefined
    const { client } = open()
    client.write(request('/'))
    await eventually(async () => received.length === 1)
    const [first] = held
    client.write(request('/second'))
    await eventually(async () => received.length === 2)
    first!.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmalformed')
    client.resume()
    await eventually(async () => client.closed && bed.apps.underWay === 0)
  })

  test('is complete are answered after it', async () => {
    const finish = holdFirstAnswer()
    const { client, text } = open()
    client.write(request('/'))
    await once(client, 'data')
    client.write(request('/', `X: ${'x'.repeat(6_000)}`).repeat(20) + last)
    finish()
    await once(client, 'close')
    expect(text().match(/HTTP\/1\.1 200/g)).toHaveLength(22)
  })

  test('is complete, byte by byte, are not read on for ever, and are answered in the end', async () => {
    const accepted = new Promise<Socket>(accept => {
      const take = (message: unknown) => {
        const { socket } = message as { socket: Socket }
        if (socket.localPort === bed.port) accept(socket)
      }
      subscribe('net.server.socket', take)
      onTestFinished(() => void unsubscribe('net.server.socket', take))
    })
    const finish = holdFirstAnswer()
    const { client, text } = open()
    const socket = await accepted
    client.write(request('/'))
    await once(client, 'data')
    const next = request('/', `X: ${'x'.repeat(1_000)}`)
    let sent = 0
    for (; sent < next.length && !socket.isPaused(); sent++) {
      client.write(next[sent]!)
      while (!socket.isPaused() && socket.bytesRead <= request('/').length + sent)
        await new Promise(setImmediate)
    }
    expect(sent).toBeLessThan(next.length)
    client.write(next.slice(sent) + last)
    finish()
    await once(client, 'close')
    expect(text().match(/HTTP\/1\.1 200/g)).toHaveLength(3)
  })
})
