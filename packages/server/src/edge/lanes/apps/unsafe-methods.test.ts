// Requests with a body, or with a method that changes something, which the lane passes to an app.
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exchange } from '../../../testing/connection.ts'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
let received: string[]
let invalidated: string[]
let reply: (socket: Socket) => void

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const request = (line: string, body: string, ...fields: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: shop.example.test', ...fields].join('\r\n')}\r\n\r\n${body}`
const post = (body: string) => request('POST /form', body, `Content-Length: ${body.length}`)
const last = request('GET /', '', 'Connection: close')

beforeEach(async () => {
  received = []
  invalidated = []
  reply = socket => void socket.write(ok)
  app = await startRawApp((chunk, socket) => {
    received.push(chunk)
    reply(socket)
  })
  const onInvalidated = (key: string) => void invalidated.push(key)
  bed = await startTestApp(
    (_req, res) => res.end(),
    { fastLanes: true, appTimeouts: patient },
    { onInvalidated },
  )
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  // Opens a connection to the app.
  await bed.ask('shop', '/')
  received = []
})

afterEach(async () => {
  await bed.stop()
  await app.stop()
})

test('the lane passes a body that came with its head', async () => {
  await exchange(bed.port, [post('a=1&b=\xe4'), last])
  expect(bed.counts.passedToApps).toBe(1)
  expect(received[0]).toMatch(
    /^POST \/form HTTP\/1\.1\r\n[\s\S]*\r\nContent-Length: 7\r\n[\s\S]*\r\n\r\na=1&b=\xe4$/,
  )
})

test('a request that changes something drops the cache entries of its path', async () => {
  await exchange(bed.port, [post('a=1'), last])
  expect(invalidated).toEqual(['prj_shop /form'])
  reply = socket => void socket.write(ok.replace('200 OK', '500 Oops'))
  await exchange(bed.port, [post('a=1'), last])
  expect(invalidated).toHaveLength(1)
  expect(bed.counts.passedToApps).toBe(2)
})

test('so does one of the location that the app names', async () => {
  reply = socket => void socket.write(ok.replace('200 OK', '302 Found\r\nLocation: /thanks'))
  await exchange(bed.port, [post('a=1'), last])
  expect(invalidated).toEqual(['prj_shop /form', 'prj_shop /thanks'])
  expect(bed.counts.passedToApps).toBe(1)
  expect(received).toHaveLength(2)
})

test('so does one whose client goes away before the answer', async () => {
  reply = () => undefined
  const client = connect(bed.port, '127.0.0.1', () => client.write(post('a=1')))
  await eventually(async () => received.length === 1)
  client.destroy()
  await eventually(async () => bed.apps.underWay === 0)
  expect(invalidated).toEqual(['prj_shop /form'])
})

test.each([
  ['closes the connection', (socket: Socket) => void socket.destroy()],
  ['answers with something else than HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH\r\n')],
])('it is not sent again if the app %s', async (_, answer) => {
  reply = answer
  const client = connect(bed.port, '127.0.0.1', () => client.write(post('a=1')))
  let text = ''
  client.on('data', data => {
    text += data
  })
  await eventually(async () => text !== '')
  client.destroy()
  expect(text).toMatch(/^HTTP\/1\.1 502 /)
  expect(received).toHaveLength(1)
  expect(bed.counts.passedToApps).toBe(1)
})

test('it is not sent again if another deployment goes live before the app answers', async () => {
  reply = () => undefined
  const client = connect(bed.port, '127.0.0.1', () => client.write(post('a=1')))
  let text = ''
  client.on('data', data => {
    text += data
  })
  await eventually(async () => received.length === 1)
  await bed.deployApp('shop')
  // The lane cannot pass on the answer to a client that sends the next request early.
  client.write(last)
  await eventually(async () => received.length === 2)
  expect(received.filter(text => text.startsWith('POST'))).toHaveLength(1)
  await eventually(async () => text !== '')
  expect(text).toMatch(/^HTTP\/1\.1 502 /)
  client.destroy()
})
