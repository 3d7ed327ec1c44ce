// Clients by HTTP/2 that take little of what apps answer.
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp } from '../../proxy/testapp.ts'
import { preface } from './frames.ts'
import { HeldBody } from './held-body.ts'
import { requestFields, startHttp2App } from './testing/app-differential.ts'
import { headers, RawClient, settings } from './testing/raw-client.ts'

const KB = 1024
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const idsOf = (count: number) => Array.from({ length: count }, (_, i) => 2 * i + 1)
const get = (id: number) => headers(id, requestFields('GET', `/${id}`))

/** An app, and an edge with `count` idle connections to it. `sockets` are those connections, as the edge has them. */
async function startWith(count: number) {
  const asked: Socket[] = []
  const sockets: Socket[] = []
  const app = await startRawApp((_, socket) => void asked.push(socket))
  const bed = await startTestApp((_req, res) => res.end(), { fastLanes: false, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  bed.apps.connect = async address => {
    const socket = connect(address)
    sockets.push(socket)
    return socket
  }
  const http2 = await startHttp2App(bed, true)
  onTestFinished(async () => {
    await http2.stop()
    await bed.stop()
    await app.stop()
  })
  // The cache learns that the answers are not stored.
  const client = await RawClient.begin(http2.port)
  const ids = idsOf(count)
  client.send(...ids.map(get))
  await eventually(() => asked.length === count)
  for (const socket of asked.splice(0)) socket.write(ok)
  await client.until(() => ids.every(id => client.streams.get(id)?.end === 'end'))
  client.close()
  await eventually(() => bed.apps.underWay === 0)
  http2.counts.passed = 0
  return { http2, asked, sockets, ids }
}

test('of many answers little is held for a client that takes nothing, and then it gets them all', async () => {
  const { http2, asked, sockets, ids } = await startWith(40)
  const length = 1024 * KB
  const client = await RawClient.open(http2.port)
  client.streamWindow = 0
  client.send(preface, settings([[4, 0]]), client.grant(0, 64 * length))
  await client.roundTrip()
  const before = sockets.map(({ bytesRead }) => bytesRead)
  client.send(...ids.map(get))
  await eventually(() => asked.length === ids.length)
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
  for (const socket of asked) socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(length, 'x')]))
  await eventually(() => sockets.every(socket => socket.isPaused()))
  const held = sockets.reduce((sum, { bytesRead }, i) => sum + bytesRead - before[i]!, 0)
  expect(held).toBeLessThan((1024 + 64 + 64 * ids.length) * KB)
  expect(http2.counts.passed).toBe(ids.length)
  client.send(...ids.map(id => client.grant(id, length)))
  await client.until(() => ids.every(id => client.streams.get(id)?.end === 'end'))
  expect(ids.every(id => client.streams.get(id)!.bytes === length)).toBe(true)
  expect(client.violation).toBeUndefined()
  client.close()
})

test('an answer goes on although the client takes nothing of many others', async () => {
  const { http2, asked, ids } = await startWith(20)
  const length = 1024 * KB
  const client = await RawClient.open(http2.port)
  client.streamWindow = 0
  client.send(preface, settings([[4, 0]]), client.grant(0, 64 * length))
  await client.roundTrip()
  client.send(...ids.map(get))
  await eventually(() => asked.length === ids.length)
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
  for (const socket of asked) socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(length, 'x')]))
  const last = ids.at(-1)!
  client.send(client.grant(last, length))
  await client.until(() => client.streams.get(last)?.end === 'end')
  expect(client.streams.get(last)!.bytes).toBe(length)
  expect(ids.filter(id => client.streams.get(id)!.bytes > 0)).toEqual([last])
  client.close()
})

test('an answer that comes byte by byte is the same for a client that takes it piece by piece', async () => {
  const { http2, asked } = await startWith(1)
  const text = Array.from({ length: 30_000 }, (_, i) => String.fromCharCode(97 + (i % 23))).join('')
  const client = await RawClient.open(http2.port)
  client.streamWindow = 0
  client.send(preface, settings([[4, 0]]))
  await client.roundTrip()
  client.send(get(1))
  await eventually(() => asked.length === 1)
  const chunks = [...text].map(letter => `1\r\n${letter}\r\n`).join('')
  asked[0]!.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  for (let granted = 0; granted < text.length; ) {
    granted += 7_001
    client.send(client.grant(1, 7_001))
    await client.until(() => client.streams.get(1)?.bytes === Math.min(granted, text.length))
  }
  await client.until(() => client.streams.get(1)?.end === 'end')
  expect(client.contents.get(1)).toBe(text)
  expect(http2.counts.passed).toBe(1)
  client.close()
})

test('what is taken of a held body is what came, in whatever parts', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.nat(20) },
    fc.constantFrom(2_047, 2_048, 2_049, 9_000),
    fc.constantFrom(-1, -30, -4_096, -20_000),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), steps => {
      const held = new HeldBody()
      const into = Buffer.alloc(20_000)
      let [pushed, taken] = [0, 0]
      const letter = (at: number) => at % 251
      for (const bytes of steps) {
        if (bytes >= 0) held.push(Buffer.from(Array.from({ length: bytes }, (_, i) => letter(pushed + i))))
        else {
          const count = Math.min(-bytes, held.length)
          held.take(into, 0, count)
          for (let i = 0; i < count; i++) if (into[i] !== letter(taken + i)) return false
          taken += count
        }
        if (bytes > 0) pushed += bytes
        if (held.length !== pushed - taken) return false
      }
      return true
    }),
  )
})
