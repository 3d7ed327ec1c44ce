// All connections are read into the same memory. An answer that comes in two parts must keep its first part, while another client is
// answered.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
/** Where the app divides its answer to `/mine`, and the connection that waits for the second part. */
let divideAt: number
let waiting: { socket: Socket; rest: string } | undefined
let answer: string

const other = `HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n${'other '.repeat(150)}`
const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: shop.example.test\r\n\r\n`

beforeAll(async () => {
  app = await startRawApp((asked, socket) => {
    if (!asked.startsWith('GET /mine')) return void socket.write(other)
    socket.write(answer.slice(0, divideAt))
    waiting = { socket, rest: answer.slice(divideAt) }
  })
  bed = await startTestApp((_req, res) => res.end(), { fastLanes: true, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
})

afterAll(async () => {
  await bed.stop()
  await app.stop()
})

function open() {
  const socket = connect({ port: bed.port, host: '127.0.0.1', noDelay: true })
  const seen = { text: '' }
  socket.on('data', data => {
    seen.text += data.toString('latin1')
  })
  return { socket, seen }
}

async function until(socket: Socket, hasArrived: () => boolean): Promise<void> {
  while (!hasArrived()) await once(socket, 'data')
}

const head = 'HTTP/1.1 200 OK\r\nX-Mine: mine\r\n'
test.each([
  ['a length', `${head}Content-Length: 12\r\n\r\nmine mine me`, 'me'],
  [
    'chunks',
    `${head}Transfer-Encoding: chunked\r\n\r\n9\r\nmine mine\r\n3\r\n me\r\n0\r\n\r\n`,
    '\r\n0\r\n\r\n',
  ],
])('an answer with %s, divided anywhere, has no bytes of another one', async (_, given, end) => {
  answer = `${head}Content-Length: 2\r\n\r\nme`
  divideAt = answer.length
  const [mine, others] = [open(), open()]
  // The cache learns that the answers are not stored, and a connection to the app is opened.
  for (const path of ['/mine', '/other']) await bed.ask('shop', path)
  answer = given
  bed.counts.passedToApps = 0
  for (divideAt = 1; divideAt < answer.length; divideAt += 2) {
    mine.seen.text = ''
    others.seen.text = ''
    waiting = undefined
    mine.socket.write(request('/mine'))
    while (waiting === undefined) await new Promise(setImmediate)
    others.socket.write(request('/other'))
    await until(others.socket, () => others.seen.text.endsWith('other '))
    const { socket, rest } = waiting as { socket: Socket; rest: string }
    socket.write(rest)
    await until(mine.socket, () => mine.seen.text.endsWith(end))
    expect(mine.seen.text).not.toContain('other')
    expect(mine.seen.text).toContain('X-Mine: mine\r\n')
    expect(mine.seen.text).toContain(answer.slice(answer.indexOf('\r\n\r\n')))
  }
  expect(bed.counts.passedToApps).toBeGreaterThan(answer.length / 2)
  mine.socket.destroy()
  others.socket.destroy()
})
