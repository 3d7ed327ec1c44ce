// Apps that stop, while they wait for the client or the client waits for them.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { Cancellation } from './cancellation.ts'
import { patient, startRawApp, startTestApp } from './testapp.ts'
import { Upstream } from './upstream.ts'

let app: Awaited<ReturnType<typeof startRawApp>>
afterEach(() => app.stop())

test('an app that does not read the body of a request is a 504', async () => {
  app = await startRawApp((_text, socket) => void socket.pause())
  const bed = await startTestApp((_req, res) => res.end(), { appTimeouts: { ...patient, answer: 200 } })
  onTestFinished(() => bed.stop())
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  const client = connect(bed.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.on('error', () => undefined)
  const bytes = 100 * 1024 * 1024
  client.write(`POST / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: ${bytes}\r\n\r\n`)
  client.write(Buffer.alloc(bytes))
  const [data] = await once(client, 'data')
  expect(String(data)).toMatch(/^HTTP\/1\.1 504 /)
})

test('an app that stopped while it waited for a slow client is cut off when the client reads again', async () => {
  let sent: Socket | undefined
  app = await startRawApp((_text, socket) => {
    sent = socket
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok')
  })
  const timeouts = { ...patient }
  const upstream = new Upstream(timeouts)
  onTestFinished(() => upstream.close())
  const cancellation = new Cancellation()
  const outgoing = { method: 'GET', path: '/', headers: [], body: undefined, cancellation }
  const answer = await upstream.send({ host: '127.0.0.1', port: app.port }, outgoing)
  answer.once('data', () => answer.pause())
  await once(answer, 'pause')
  timeouts.idle = 50
  answer.socket.setTimeout(timeouts.idle)
  await once(answer.socket, 'timeout')
  expect(sent!.destroyed).toBe(false)
  const failed = once(answer, 'error')
  answer.resume()
  expect((await failed)[0]).toMatchObject({ message: 'aborted' })
})
