// Requests with the same header fields as an earlier one on the connection, which the lane passes to an app.
import type { Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { exchange } from '../../../testing/connection.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
let received: string[]

const fields = ['User-Agent: me', 'X-Forwarded-For: 192.0.2.1', 'Cookie: a=1', 'Accept: text/html']
const request = (line: string, more: string[] = fields) =>
  [`${line} HTTP/1.1`, 'Host: shop.example.test', ...more, '', ''].join('\r\n')
const last = request('GET /', ['Connection: close'])
const ok = (text: string) => {
  const body = text.startsWith('HEAD') ? '' : 'ok'
  return `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n${body}`
}

beforeAll(async () => {
  app = await startRawApp((text: string, socket: Socket) => {
    received.push(text)
    socket.write(ok(text))
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
  for (const path of ['/', '/a', '/b?c=d']) await bed.ask('shop', path)
  received = []
  bed.counts.passedToApps = 0
  // Equal answers must not be added to entries of the test before.
  for (const access of bed.accesses) access.taken = true
  bed.accesses.length = 0
})

/** A request without its line and its id. */
const fieldsOf = (text: string) => text.replace(/^.*\r\n/, '').replace(/X-Svc-Request-Id: .*\r\n/, '')
const lineOf = (text: string) => text.split('\r\n', 1)[0]
const idOf = (text: string) => /X-Svc-Request-Id: (.*)\r\n/.exec(text)?.[1]

test('the app receives the same fields each time, each with its own line and id', async () => {
  // HEAD comes last, since the connection to the app is not kept after it.
  const lines = ['GET /', 'GET /a', 'GET /b?c=d', 'GET /', 'HEAD /a']
  await exchange(bed.port, [...lines.map(line => request(line)), last])
  expect(bed.counts.passedToApps).toBe(5)
  expect(received.map(lineOf)).toEqual([...lines, 'GET /'].map(line => `${line} HTTP/1.1`))
  const repeated = received.slice(0, 5)
  expect(new Set(repeated.map(fieldsOf)).size).toBe(1)
  expect(fieldsOf(repeated[0]!)).toContain(
    'Cookie: a=1\r\nAccept: text/html\r\nX-Forwarded-For: 127.0.0.1\r\n',
  )
  expect(repeated.join()).not.toContain('192.0.2.1')
  expect(new Set(received.map(idOf)).size).toBe(6)
})

test('other fields in between are those that the app receives', async () => {
  const other = ['User-Agent: you', 'Cookie: b=2']
  await exchange(bed.port, [request('GET /'), request('GET /', other), request('GET /'), last])
  expect(bed.counts.passedToApps).toBe(3)
  expect(received.map(text => /Cookie: (\S+)/.exec(text)?.[1])).toEqual(['a=1', 'b=2', 'a=1', undefined])
})

test('the app receives the ETag of each request', async () => {
  const withTag = (tag: string) => request('GET /', [...fields, `If-None-Match: ${tag}`])
  await exchange(bed.port, [withTag('"a"'), withTag('"b"'), withTag('"c"'), last])
  expect(received.map(text => /If-None-Match: (\S+)/.exec(text)?.[1])).toEqual([
    '"a"',
    '"b"',
    '"c"',
    undefined,
  ])
})

test('their answers are counted with the fields of the request', async () => {
  await exchange(bed.port, [request('GET /'), request('GET /a'), last])
  expect(bed.accesses.slice(0, 2).map(({ target, fields }) => [target, fields])).toEqual([
    ['/', 'User-Agent: me\r\nX-Forwarded-For: 192.0.2.1\r\n'],
    ['/a', 'User-Agent: me\r\nX-Forwarded-For: 192.0.2.1\r\n'],
  ])
})

test('a path of the platform or of a file is not passed on', async () => {
  await exchange(bed.port, [request('GET /'), request('GET /_svc/forms/x'), request('GET /../etc'), last])
  expect(bed.counts.passedToApps).toBe(1)
  expect(received.map(lineOf)).not.toContain('GET /_svc/forms/x HTTP/1.1')
})

test('a new deployment with a password is not passed by', async () => {
  const files = { 'server.js': '', _headers: '/*\n  Basic-Auth: a:b\n' }
  const answers = exchange(bed.port, [request('GET /'), request('GET /a'), last])
  await answers
  expect(bed.counts.passedToApps).toBe(2)
  await bed.deployApp('shop', files)
  const after = await exchange(bed.port, [request('GET /'), request('GET /'), last])
  expect(after.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 401'))
  await bed.deployApp('shop')
})
