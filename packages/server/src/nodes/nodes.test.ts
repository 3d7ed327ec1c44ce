// Connections between nodes: only who has the shared key gets in, and nothing is passed on twice.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createHosts } from '../edge/hosts.ts'
import { Keyring, SealKey } from '../lib/seal.ts'
import { Authority } from '../testing/authority.ts'
import { type InnerServed, openInnerListener } from './inner-listener.ts'
import { connectSecurely } from './secure-link.ts'

const ringOf = (...keys: SealKey[]) => new Keyring(() => keys)
const at = { host: '127.0.0.1', port: 0 }

async function listenerOf(keyring: Keyring, served: Partial<InnerServed> = {}, connectionsAtMost = 100) {
  const hosts = createHosts('example.com')
  const listener = await openInnerListener(at, keyring, { hosts, parts: {}, ...served }, connectionsAtMost)
  onTestFinished(async () => {
    listener.close()
    await listener.drain(0)
  })
  return { host: '127.0.0.1', port: listener.port }
}

async function ask(address: { host: string; port: number }, keyring: Keyring, host: string, headers = {}) {
  const socket = await connectSecurely(address, keyring)
  const sent = request({ createConnection: () => socket, path: '/', headers: { host, ...headers } }).end()
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode, text: await text(answer) }
}

test('a node with the key gets in, also with an earlier one while the key changes', async () => {
  const [first, second] = [SealKey.fresh(), SealKey.fresh()]
  const address = await listenerOf(ringOf(first), {
    parts: { api: exchange => exchange.answer(200, [], exchange.peer.address) },
  })
  const headers = { 'x-svc-peer': '192.0.2.7 tls' }
  for (const ring of [ringOf(first), ringOf(second, first)])
    expect(await ask(address, ring, 'api.example.com', headers)).toEqual({ status: 200, text: '192.0.2.7' })
})

test('the API gets an upgrade that another node passes on, and may decline it', async () => {
  const keyring = ringOf(SealKey.fresh())
  const address = await listenerOf(keyring, {
    parts: {
      api: (exchange, upgrade) => {
        if (!upgrade) exchange.answer(200, [], 'an ordinary request')
        else if (exchange.url === '/no') upgrade.decline()
        else upgrade.take().end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${upgrade.protocol}`)
      },
    },
  })
  const asked = async (path: string) => {
    const socket = await connectSecurely(address, keyring)
    const fields = 'Host: api.example.com\r\nConnection: Upgrade, close\r\nUpgrade: websocket'
    socket.write(`GET ${path} HTTP/1.1\r\n${fields}\r\n\r\n`)
    return await text(socket)
  }
  expect(await asked('/')).toBe('HTTP/1.1 101 Switching Protocols\r\n\r\nwebsocket')
  expect(await asked('/no')).toContain('an ordinary request')
})

test('nobody without the key gets past the handshake', async () => {
  const key = SealKey.fresh()
  const address = await listenerOf(ringOf(key), {
    parts: { api: exchange => exchange.answer(200, [], 'in') },
  })
  await expect(connectSecurely(address, ringOf(SealKey.fresh()))).rejects.toThrow()
  const guess = connectTls({ ...address, rejectUnauthorized: false })
  await expect(once(guess, 'secureConnect')).rejects.toThrow()
  const named = connectTls({
    ...address,
    ciphers: 'TLS_AES_128_GCM_SHA256',
    pskCallback: () => ({ identity: key.id, psk: Buffer.alloc(32) }),
    checkServerIdentity: () => undefined,
  })
  await expect(once(named, 'secureConnect')).rejects.toThrow()
  const plain = connect(address)
  plain.write('GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n')
  expect(await text(plain)).not.toContain('HTTP/1.1')
})

test('strangers who never finish the handshake keep no node out, however many they are', async () => {
  const ring = ringOf(SealKey.fresh())
  const address = await listenerOf(ring, { parts: { api: exchange => exchange.answer(200, [], 'in') } }, 2)
  const strangers = Array.from({ length: 150 }, () => connect(address))
  for (const stranger of strangers) stranger.on('error', () => undefined)
  onTestFinished(() => strangers.forEach(stranger => void stranger.destroy()))
  // Those that came first made room for the last ones.
  await Promise.all(strangers.slice(0, 20).map(stranger => once(stranger, 'close')))
  expect(await ask(address, ring, 'api.example.com')).toEqual({ status: 200, text: 'in' })
  expect(strangers.filter(stranger => !stranger.destroyed).length).toBeLessThanOrEqual(128)
})

test('no more connections of nodes are open than the setting allows', async () => {
  const ring = ringOf(SealKey.fresh())
  const address = await listenerOf(ring, {}, 2)
  const kept = [await connectSecurely(address, ring), await connectSecurely(address, ring)]
  const further = await connectSecurely(address, ring)
  await once(further, 'close')
  for (const socket of kept) expect(socket.destroyed).toBe(false)
})

test('a node does not talk to a stranger at the address of another one', async () => {
  const stranger = createServer(socket => socket.end('HTTP/1.1 200 OK\r\n\r\n')).listen(0, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  await once(stranger, 'listening')
  const { port } = stranger.address() as AddressInfo
  await expect(connectSecurely({ host: '127.0.0.1', port }, ringOf(SealKey.fresh()))).rejects.toThrow()
})

test('a node does not talk to a stranger with a certificate of an authority that it trusts', async () => {
  const authority = await Authority.make()
  onTestFinished(() => authority.remove())
  const { cert, key } = await authority.certificate('stranger.example.org')
  const stranger = createTlsServer({ cert, key }, socket => socket.end()).listen(0, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  await once(stranger, 'listening')
  const { port } = stranger.address() as AddressInfo
  // Authorities are only added when a process starts.
  const code = `
    import { SealKey } from ${JSON.stringify(new URL('../lib/seal.js', import.meta.url))}
    import { connectSecurely } from ${JSON.stringify(new URL('./secure-link.js', import.meta.url))}
    const link = connectSecurely({ host: '127.0.0.1', port: ${port} }, { keys: [SealKey.fresh()] })
    console.log(await link.then(() => 'connected', error => error.message))
    process.exit()`
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: `${authority.dir}/ca.pem` }
  const asked = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  expect((await asked).stdout).toContain('has not the shared key')
})

test('a request that was passed on to a node without the role for it is refused there', async () => {
  const ring = ringOf(SealKey.fresh())
  const address = await listenerOf(ring)
  for (const host of ['api.example.com', 'site.example.com', 'custom.example.org', '127.0.0.1'])
    expect(await ask(address, ring, host)).toMatchObject({ status: 503 })
  const socket = await connectSecurely(address, ring)
  const asked = request({ createConnection: () => socket, method: 'CONNECT', path: 'app:3000' }).end()
  const [answer] = await once(asked, 'connect')
  expect(answer.statusCode).toBe(502)
})
