import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { bindSocket } from '../../lib/listening-sockets.ts'
import { Secret } from '../../lib/secret.ts'
import { Authority } from '../../testing/authority.ts'
import { eventually } from '../../testing/eventually.ts'
import { createTlsServer } from './tls-server.ts'

async function startServer(accept: (socket: TLSSocket) => void) {
  const authority = await Authority.make()
  onTestFinished(() => authority.remove())
  const pair = await authority.certificate('shop.example.test')
  const server = createTlsServer({
    handshakeMs: 10_000,
    handshakesAtOnce: 10,
    accept,
    onError: () => undefined,
  })
  const socket = await bindSocket('127.0.0.1', 0)
  await socket.listen(server.server)
  onTestFinished(() => void server.close(0))
  const find = async () => createSecureContext(pair)
  await server.useCertificates(
    { find, findDefault: async () => pair, onDefaultChange: () => undefined },
    new Secret('secret'),
  )
  return { port: socket.port, close: server.close }
}

/** Passes the bytes of one connection on to `port`. Those of the client are held back after the first answer, until `sendAndReset`. */
async function startRelay(port: number) {
  const held: Buffer[] = []
  let isHolding = false
  const far = connect(port, '127.0.0.1')
  const relay = createServer(near => {
    for (const socket of [near, far]) socket.on('error', () => undefined)
    far.on('data', chunk => {
      // What the client sends next ends its handshake.
      isHolding = true
      near.write(chunk)
    })
    near.on('data', chunk => void (isHolding ? held.push(chunk) : far.write(chunk)))
    onTestFinished(() => void near.destroy())
  })
  await new Promise<void>(done => relay.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    far.destroy()
    relay.close()
  })
  return {
    port: (relay.address() as AddressInfo).port,
    heldBytes: () => Buffer.concat(held).length,
    sendAndReset: () => {
      far.write(Buffer.concat(held))
      far.resetAndDestroy()
    },
  }
}

test('a connection is closed if the client resets it at the end of its handshake', async () => {
  const accepted: TLSSocket[] = []
  const { port } = await startServer(socket => {
    accepted.push(socket.on('error', () => undefined))
    socket.allowHalfOpen = true
    socket.on('data', () => setImmediate(() => socket.write('answer')))
  })
  const relay = await startRelay(port)
  const client = connectTls({ port: relay.port, servername: 'shop.example.test', rejectUnauthorized: false })
  client.on('error', () => undefined)
  onTestFinished(() => void client.destroy())
  await once(client, 'secureConnect')
  const request = Buffer.alloc(1000)
  client.write(request)
  await eventually(() => relay.heldBytes() > request.length)
  relay.sendAndReset()
  await eventually(() => accepted.length === 1 && accepted[0]!.closed)
  expect(accepted[0]!.destroyed).toBe(true)
})

test('a server that closes also closes the connections that nobody else closes', async () => {
  const accepted: TLSSocket[] = []
  const server = await startServer(socket => void accepted.push(socket.on('error', () => undefined)))
  const silent = connect(server.port, '127.0.0.1')
  const client = connectTls({ port: server.port, servername: 'shop.example.test', rejectUnauthorized: false })
  for (const socket of [silent, client]) {
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
  }
  await eventually(() => accepted.length === 1 && !silent.connecting)
  await server.close(10)
  expect(accepted[0]!.destroyed).toBe(true)
  await once(silent.resume(), 'close')
})
