import { afterEach, expect, test } from 'vitest'
import { startRawApp, startTestApp, type TestApp } from './testapp.ts'

let bed: TestApp
let raw: Awaited<ReturnType<typeof startRawApp>>

afterEach(async () => {
  await bed.stop()
  await raw.stop()
})

/** An app that answers `ok` with these header fields; counts its connections. */
async function start(fields: string[], after?: (answer: () => void) => void) {
  const connections = new Set<object>()
  bed = await startTestApp((_req, res) => res.end())
  raw = await startRawApp((_chunk, socket) => {
    connections.add(socket)
    socket.write(
      `HTTP/1.1 200 OK\r\n${fields.map(field => `${field}\r\n`).join('')}Content-Length: 2\r\n\r\nok`,
    )
    after?.(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'))
  })
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
