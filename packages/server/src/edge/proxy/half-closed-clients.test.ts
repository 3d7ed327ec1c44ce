// Clients that end their side of the connection before the app has answered. They count as clients that went away.
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { patient, startRawApp, startTestApp } from './testapp.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test.each([
  ['the lane', true],
  ['node:http', false],
])('through %s, the request of a half-closed client is cancelled at the app', async (_, fastLanes) => {
  let reply = (socket: Socket) => void socket.write(ok)
  const app = await startRawApp((_chunk, socket) => reply(socket))
  const bed = await startTestApp((_req, res) => res.end(), { fastLanes, appTimeouts: patient })
  onTestFinished(async () => {
    await bed.stop()
    await app.stop()
  })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  await bed.ask('shop', '/')

  let asked: Socket | undefined
  reply = socket => {
    asked = socket
  }
  const client = connect(bed.port, '127.0.0.1')
  let received = ''
  client
    .on('error', () => undefined)
    .on('data', data => {
      received += data
    })
  client.write('GET / HTTP/1.1\r\nHost: shop.example.test\r\n\r\n')
  await eventually(() => asked !== undefined)
  expect(bed.counts.passedToApps).toBe(fastLanes ? 1 : 0)
  client.end()
  await eventually(() => asked!.destroyed && client.closed && bed.apps.underWay === 0)
  expect(received).toBe('')

  reply = socket => void socket.write(ok)
  expect((await bed.ask('shop', '/')).text).toBe('ok')
})
