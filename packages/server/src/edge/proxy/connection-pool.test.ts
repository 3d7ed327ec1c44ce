import { expect, onTestFinished, test } from 'vitest'
import { reuseMsOf } from '../../lib/keep-alive.ts'
import { patient, startRawApp, startTestApp, type TestApp } from './testapp.ts'

let bed: TestApp

/** An app that answers `ok` with these header fields; counts its connections. */
async function start(fields: string[], after?: (answer: () => void) => void, reuse?: number) {
  const connections = new Set<object>()
  const settings = reuse === undefined ? {} : { appTimeouts: { ...patient, reuse } }
  bed = await startTestApp((_req, res) => res.end(), settings)
  onTestFinished(() => bed.stop())
  const raw = await startRawApp((_chunk, socket) => {
    connections.add(socket)
    socket.write(
      `HTTP/1.1 200 OK\r\n${fields.map(field => `${field}\r\n`).join('')}Content-Length: 2\r\n\r\nok`,
    )
    after?.(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'))
  })
  onTestFinished(() => raw.stop())
  bed.apps.address = { host: '127.0.0.1', port: raw.port }
  return connections
}

const askThrice = async () => {
  for (let i = 0; i < 3; i++) expect((await bed.ask('shop', '/')).text).toBe('ok')
}

test('requests one after the other use one connection', async () => {
  const connections = await start(['Keep-Alive: timeout=5'])
  await askThrice()
  expect(connections.size).toBe(1)
})

test.each([['Keep-Alive: timeout=1'], ['Keep-Alive: timeout=0'], ['Connection: close']])(
  'a connection is not used again after %s',
  async field => {
    const connections = await start([field])
    await askThrice()
    expect(connections.size).toBe(3)
  },
)

test.each([
  [['Keep-Alive: timeout=60'], 1],
  [['Keep-Alive: max=100'], 3],
  [[], 3],
])('a connection is kept for as long as the app announces: %j', async (fields, count) => {
  const connections = await start(fields, undefined, 0)
  await askThrice()
  expect(connections.size).toBe(count)
})

test.each([
  ['timeout=0', 0],
  ['timeout=1', 0],
  ['timeout=2', 1_000],
  ['timeout=5, max=100', 4_000],
  ['timeout=75', 30_000],
  [`timeout=${'9'.repeat(400)}`, 30_000],
  ['max=5', undefined],
  ['timeout=soon', undefined],
  ['', undefined],
])('after Keep-Alive: %s a connection may be reused for %s ms', (value, ms) => {
  expect(reuseMsOf(value)).toBe(ms)
})

test('bytes that an app sends between two requests are no answer to the next', async () => {
  let sendMore: (() => void) | undefined
  await start([], more => {
    sendMore = more
  })
  expect((await bed.ask('shop', '/')).text).toBe('ok')
  sendMore?.()
  // The edge has read them by the time it answers a later request.
  expect((await bed.ask('nobody', '/')).status).toBe(404)
  expect((await bed.ask('shop', '/')).text).toBe('ok')
})
