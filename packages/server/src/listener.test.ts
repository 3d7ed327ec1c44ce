import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listener.ts'

test.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: shop.example.test\r\nX-'],
  ['body', 'POST / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 100\r\n\r\n{'],
])('a client that never sends the rest of its %s is cut off', async (_, begun) => {
  const patience = { handshake: 0, headers: 20, request: 40, silence: 0, check: 10 }
  const listener = await listen({ host: '127.0.0.1', port: 0, patience })
  onTestFinished(() => listener.stop(0))
  const hosts = { find: () => ({ to: 'unknown' }) as const }
  const edge = { handle: () => undefined, upgrade: () => undefined, findHot: () => undefined }
  const front = { take: (_req: unknown, _res: unknown, goOn: () => void) => goOn(), isOpen: () => true }
  listener.serve({ hosts, parts: {}, edge, front })
  const socket = connect(listener.port, '127.0.0.1', () => socket.write(begun))
  const answer = await new Promise<string>(done => {
    let text = ''
    socket.on('data', data => {
      text += data
    })
    socket.on('error', () => undefined).on('close', () => done(text))
  })
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
})
