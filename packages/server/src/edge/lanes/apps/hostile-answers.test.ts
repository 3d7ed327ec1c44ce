// Odd and malformed answers of an app, each after ordinary ones on the same connections of the client and of the app.
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
let reply: (socket: Socket) => void

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n'
const ok = `${head}\r\nok`
const evil = ok.replace(': 2', ': 4').replace(/ok$/, 'evil')
const chunked = (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
const request = 'GET / HTTP/1.1\r\nHost: shop.example.test\r\n\r\n'

beforeAll(async () => {
  app = await startRawApp((_text, socket) => reply(socket))
  bed = await startTestApp((_req, res) => res.end(), { fastLanes: true, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
})

afterAll(async () => {
  await bed.stop()
  await app.stop()
})

/** Sends three requests, each after the answer to the one before. `third` is the app's answer to the last one. */
async function askThrice(third: (socket: Socket) => void) {
  reply = socket => void socket.write(ok)
  await bed.ask('shop', '/')
  bed.counts.passedToApps = 0
  const client = connect({ port: bed.port, host: '127.0.0.1', noDelay: true })
  onTestFinished(() => void client.destroy())
  const seen = { text: '', isClosed: false }
  client
    .on('error', () => undefined)
    .on('close', () => {
      seen.isClosed = true
    })
  client.on('data', data => {
    seen.text += data.toString('latin1')
  })
  for (let count = 1; count <= 2; count++) {
    client.write(request)
    await eventually(() => seen.text.split('\r\n\r\nok').length === count + 1)
  }
  expect(bed.counts.passedToApps).toBe(2)
  seen.text = ''
  reply = third
  client.write(request)
  return { client, seen }
}

/** The connection to the app is not used again, and the next visitor gets an answer of its own. */
async function expectNextIsServed() {
  reply = socket => void socket.write(ok)
  expect((await bed.ask('shop', '/')).text).toBe('ok')
  await eventually(() => bed.apps.underWay === 0)
}

test.each([
  ['more bytes than it says', `${ok}evil`],
  ['another answer behind it', ok + evil],
  ['interim responses before it', `HTTP/1.1 102 Processing\r\n\r\n${ok}`],
  ['chunks, and another answer behind it', chunked('2\r\nok\r\n0\r\n\r\n') + evil],
  ['an extension of a chunk', chunked('2;a="\\"b"\r\nok\r\n0\r\n\r\n')],
  ['trailers', chunked('2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n')],
  ['the version 1.0', ok.replace('1.1', '1.0')],
])('an answer with %s reaches its client alone', async (_, answer) => {
  const { client, seen } = await askThrice(socket => void socket.write(answer))
  await eventually(() => /\r\nok(\r\n0\r\n(X-Sum: 1\r\n)?\r\n)?$/.test(seen.text))
  reply = socket => void socket.write(ok.replace('ok', 'me'))
  client.write(request)
  await eventually(() => seen.text.endsWith('\r\n\r\nme') || seen.isClosed)
  expect(seen.text).not.toContain('evil')
  await expectNextIsServed()
})

test.each([
  ['two lengths', `${head}Content-Length: 4\r\n\r\nokevil`],
  ['a length and chunks', `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  ['a negative length', `${head.replace(': 2', ': -2')}\r\nok`],
  ['a space before a colon', `${head}X : y\r\n\r\nok`],
  ['a line feed alone', `${head}X: y\nZ: z\r\n\r\nok`],
  ['NUL in a field', `${head}X: \0\r\n\r\nok`],
  ['another protocol', `HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nevil`],
  ['no head at all', 'evil\r\n\r\n'],
  ['a head without an end', `${head}X: ${'y'.repeat(20_000)}`],
])('an answer with %s is a 502', async (_, answer) => {
  const { seen } = await askThrice(socket => void socket.write(answer, 'latin1'))
  await eventually(() => seen.text.startsWith('HTTP/1.1 502 ') && seen.text.includes('</html>'))
  expect(seen.text).not.toContain('evil')
  await expectNextIsServed()
})

test.each([
  ['a signed size', '+2\r\nok\r\n0\r\n\r\n'],
  ['a size with 0x', '0x2\r\nok\r\n0\r\n\r\n'],
  ['a size beyond all bounds', 'fffffffffffffffff\r\nok'],
  ['a length in its trailers', '2\r\nok\r\n0\r\nContent-Length: 4\r\n\r\n'],
  ['a chunk that is longer than its size', '2\r\nokevil\r\n0\r\n\r\n'],
])('an answer with %s is broken off', async (_, body) => {
  const { seen } = await askThrice(socket => void socket.write(chunked(body)))
  await eventually(() => seen.isClosed)
  expect(seen.text).not.toContain('evil')
  expect(seen.text).not.toMatch(/\r\n0\r\n\r\n$/)
  await expectNextIsServed()
})

test('the head of the answer before, byte by byte, is read as one', async () => {
  const { client, seen } = await askThrice(async socket => {
    for (const byte of ok) {
      socket.write(byte)
      await new Promise(setImmediate)
    }
  })
  await eventually(() => seen.text.endsWith('\r\n\r\nok'))
  client.destroy()
  await expectNextIsServed()
})

test('a part of the head of the answer before, and then a close, makes the request be sent again', async () => {
  const { seen } = await askThrice(socket => {
    reply = other => void other.write(ok)
    socket.end(head.slice(0, 30))
  })
  await eventually(() => seen.text.endsWith('\r\n\r\nok'))
  expect(seen.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  await expectNextIsServed()
})
