import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import {
  unsentBytes,
  whenSent,
  writeBothDirectly,
  writeDirectly,
  writeTextDirectly,
} from './direct-writes.ts'
import { transports } from './testing/pairs.ts'

const openTcp = transports[0]![1]

/** What the client has read so far. */
function collect(client: Socket) {
  const seen = { text: '' }
  client.on('data', chunk => {
    seen.text += chunk.toString('latin1')
  })
  return seen
}

/** Writes until the kernel takes no more. Returns what was written. */
function fill(socket: Socket): string {
  let text = ''
  for (let i = 0; ; i++) {
    const part = `${i} `.padEnd(8 * 1024, 'x')
    text += part
    if (!writeDirectly(socket, Buffer.from(part))) return text
  }
}

describe.each(transports)('a connection with %s', (_, open) => {
  test('gets bytes and texts in their order', async () => {
    const { client, socket } = await open()
    const seen = collect(client)
    writeDirectly(socket, Buffer.from('one '))
    writeTextDirectly(socket, 'two \xff ')
    writeBothDirectly(socket, Buffer.from('three '), Buffer.from('four '))
    socket.write('five ')
    writeDirectly(socket, Buffer.from('six'))
    await eventually(() => seen.text === 'one two \xff three four five six')
  })

  test('gets a large body, and the writer learns when it is sent', async () => {
    const { client, socket } = await open()
    const body = Buffer.alloc(16 * 1024 * 1024, 'abcdefg')
    writeBothDirectly(socket, Buffer.from('head '), body)
    expect(unsentBytes(socket)).toBeGreaterThan(0)
    const sent = new Promise<void>(done => whenSent(socket, done))
    writeDirectly(socket, Buffer.from(' tail'))
    const seen = collect(client)
    await sent
    await eventually(() => seen.text.endsWith(' tail'))
    expect(seen.text === `head ${body.toString('latin1')} tail`).toBe(true)
    expect(unsentBytes(socket)).toBe(0)
  })

  test('gets what is written while it is corked, when it is uncorked', async () => {
    const { client, socket } = await open()
    const seen = collect(client)
    socket.cork()
    socket.write('one ')
    writeDirectly(socket, Buffer.from('two '))
    expect(socket.writableLength).toBe(8)
    socket.uncork()
    writeDirectly(socket, Buffer.from('three'))
    await eventually(() => seen.text === 'one two three')
  })
})

test('short bytes are taken at once, so that their memory can be used again', async () => {
  const { client, socket } = await openTcp()
  const seen = collect(client)
  const memory = Buffer.from('one')
  expect(writeDirectly(socket, memory)).toBe(true)
  memory.write('two')
  expect(writeDirectly(socket, memory)).toBe(true)
  await eventually(() => seen.text === 'onetwo')
})

test('a connection with TLS needs the memory longer', async () => {
  const { socket } = await transports[1]![1]()
  expect(writeDirectly(socket, Buffer.from('one'))).toBe(false)
})

test('what a slow client has not taken is counted, and comes in its order', async () => {
  const { client, socket } = await openTcp()
  const text = fill(socket)
  expect(unsentBytes(socket)).toBeGreaterThan(0)
  writeTextDirectly(socket, 'text ')
  expect(writeDirectly(socket, Buffer.from('bytes '))).toBe(false)
  expect(socket.writableLength).toBe('text bytes '.length)
  const seen = collect(client)
  await eventually(() => seen.text === `${text}text bytes `)
  expect(unsentBytes(socket)).toBe(0)
  expect(writeDirectly(socket, Buffer.from('last'))).toBe(true)
  await eventually(() => seen.text.endsWith('last'))
})

test('a connection that is ended is closed after the client has read everything', async () => {
  const { client, socket } = await openTcp()
  const text = fill(socket)
  socket.destroySoon()
  const seen = collect(client)
  await once(client, 'end')
  expect(seen.text).toBe(text)
})

test.each([
  ['with bytes that it has not taken', fill],
  ['with none', () => undefined],
])('a connection to a client that is gone is closed, %s', async (_, begin) => {
  const { client, socket } = await openTcp()
  const closed = new Promise(done => socket.on('error', () => undefined).once('close', done))
  begin(socket)
  client.resetAndDestroy()
  await eventually(() => {
    writeDirectly(socket, Buffer.from('x'))
    return socket.destroyed
  })
  await closed
})

test.each([
  ['closed', (socket: Socket) => socket.destroy()],
  ['ended', (socket: Socket) => socket.end()],
])('nothing is written to a connection that is %s', async (_, finish) => {
  const { client, socket } = await openTcp()
  const seen = collect(client)
  socket.on('error', () => undefined)
  finish(socket)
  writeDirectly(socket, Buffer.from('x'))
  writeTextDirectly(socket, 'x')
  await once(client, 'end')
  expect(seen.text).toBe('')
})

test('bytes arrive in their order, however they are written and read', async () => {
  const step = fc.record({
    way: fc.constantFrom('bytes', 'both', 'text', 'stream', 'pause', 'wait'),
    size: fc.integer({ min: 1, max: 300_000 }),
  })
  const play = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
    const { client, socket } = await openTcp()
    const seen = collect(client)
    let text = ''
    for (const [i, { way, size }] of steps.entries()) {
      const part = `${i} `.padEnd(size, 'x')
      if (way === 'pause') client.pause()
      else if (way === 'wait') await new Promise(setImmediate)
      else text += part
      if (way === 'bytes') writeDirectly(socket, Buffer.from(part))
      if (way === 'both') writeBothDirectly(socket, Buffer.from(part[0]!), Buffer.from(part.slice(1)))
      if (way === 'text') writeTextDirectly(socket, part)
      if (way === 'stream') socket.write(part)
    }
    socket.end()
    client.resume()
    await once(client, 'end')
    expect(seen.text === text).toBe(true)
  })
  await fc.assert(play, { numRuns: 50 })
})

test('other streams than connections are written to as streams', async () => {
  const stream = new PassThrough()
  const socket = stream as unknown as Socket
  writeDirectly(socket, Buffer.from('one '))
  writeTextDirectly(socket, 'two ')
  writeBothDirectly(socket, Buffer.from('three '), Buffer.from('four'))
  expect(unsentBytes(socket)).toBe(0)
  stream.end()
  expect(String(Buffer.concat(await stream.toArray()))).toBe('one two three four')
})
