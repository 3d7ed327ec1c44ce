// How a listener starts and stops without failing requests.
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { HotFile } from './edge/hot-files.ts'
import { type Listener, listen } from './listener.ts'
import { Authority, type MadeCertificate } from './testing/authority.ts'
import { eventually } from './testing/eventually.ts'
import { handlersWith } from './testing/handlers.ts'

const host = 'shop.example.test'
/** No test waits for it. */
const longMs = 60_000

let authority: Authority
let made: MadeCertificate
beforeAll(async () => {
  authority = await Authority.make()
  made = await authority.certificate(host)
})
afterAll(() => authority?.remove())

const hot = {
  ...{ headers: ['Content-Length', '3'], unchangedHeaders: [], body: Buffer.from('hot') },
  representation: { html: false, etag: '"a"', modified: 0, size: 3 },
} as unknown as HotFile

/** A listener that answers `/hot` from memory by its lanes, and `hello` to all other requests. */
async function open(): Promise<Listener & { serve(): Promise<void> }> {
  const listener = await listen({ host: '127.0.0.1', port: 0, tlsPort: 0 })
  onTestFinished(() => listener.stop(0))
  const serve = () =>
    listener.dispatchTo(
      handlersWith(made, {
        findHot: ({ target }) => (target === '/hot' ? hot : undefined),
        mayUseLane: () => true,
      }),
    )
  return { ...listener, serve }
}

function dial({ port }: Listener): { socket: Socket; text(): string } {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('latin1').on('data', part => {
    text += part
  })
  return { socket, text: () => text }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

function session({ tlsPort }: Listener): ClientHttp2Session {
  const options = {
    host: '127.0.0.1',
    port: tlsPort!,
    ca: authority.ca,
    servername: host,
    ALPNProtocols: ['h2'],
  }
  const client = connectHttp2(`https://${host}`, { createConnection: () => connectTls(options) })
  onTestFinished(() => client.destroy())
  return client
}

async function ask(client: ClientHttp2Session, path: string): Promise<string> {
  const stream = client.request({ ':path': path })
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return text
}

test('requests and handshakes wait until there is someone to answer them', async () => {
  const listener = await open()
  const { socket, text } = dial(listener)
  socket.write(get('/'))
  const client = session(listener)
  const answer = ask(client, '/')
  await eventually(() => socket.bytesWritten > 0)
  await listener.serve()
  expect(await answer).toBe('hello')
  await eventually(() => text().endsWith('hello'))
  expect(text()).toMatch(/^HTTP\/1\.1 200 /)
})

test.each(['/hot', '/'])(
  'HTTP/1.1: a request for %s on a kept connection is answered after the stop began, as the last one',
  async path => {
    const listener = await open()
    await listener.serve()
    const { socket, text } = dial(listener)
    socket.write(get(path))
    await eventually(() => text().split('\r\n\r\n')[1])
    expect(text()).toContain('Connection: keep-alive')
    const stopped = listener.stop(longMs, longMs)
    socket.write(get(path))
    await once(socket, 'end')
    expect(text().match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    expect(text().split('HTTP/1.1 200')[2]).toMatch(/Connection: close\r\n/)
    expect(text()).toMatch(/\r\n\r\n(hot|hello)$/)
    await stopped
  },
)

test.each(['/hot', '/'])(
  'HTTP/2: a request for %s is answered that was on its way when the stop began, and the client then leaves',
  async path => {
    const listener = await open()
    await listener.serve()
    const client = session(listener)
    expect(await ask(client, path)).toMatch(/^h/)
    const left = once(client, 'close')
    const answer = ask(client, path)
    const stopped = listener.stop(longMs, longMs)
    expect(await answer).toMatch(/^h/)
    await left
    await stopped
  },
)

test('connections without a request are closed in the end', async () => {
  const listener = await open()
  await listener.serve()
  const { socket, text } = dial(listener)
  const client = session(listener)
  expect(await ask(client, '/hot')).toBe('hot')
  socket.write(get('/hot'))
  await eventually(() => text().endsWith('hot'))
  const gone = Promise.all([once(socket, 'end'), once(client, 'close')])
  await listener.stop(longMs, 10)
  await gone
})
