import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import {
  encryptDirectly,
  unsentBytes,
  whenSent,
  writeBothDirectly,
  writeDirectly,
  writeTextDirectly,
} from './direct-writes.ts'
import { transports } from './testing/pairs.ts'

const openTcp = transports[0]![1]
const openTls = transports[1]![1]

/** What the client has read so far. */
function collect(client: Socket) {
  const seen = { text: '' }
  client.on('data', chunk => {
    seen.text += chunk.toString('latin1')
  })
  return seen
}

/** Writes until the kernel takes no more. Returns what was written. */
async function fill(socket: Socket): Promise<string> {
  let text = ''
  for (let i = 0; unsentBytes(socket) === 0; i++) {
    const part = `${i} `.padEnd(8 * 1024, 'x')
    text += part
    writeDirectly(socket, Buffer.from(part))
    await nextTurn()
  }
  return text
}

const memory = Buffer.alloc(300_000)

/** Writes from memory that is overwritten right after it. */
function encryptOrWrite(socket: Socket, text: string): void {
  memory.write(text)
  if (!encryptDirectly(socket, memory.subarray(0, text.length), () => undefined)) socket.write(text)
  memory.fill(0)
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

  test('what a slow client has not taken is counted, and comes in its order', async () => {
    const { client, socket } = await open()
    const text = await fill(socket)
    expect(unsentBytes(socket)).toBeGreaterThan(0)
    writeTextDirectly(socket, 'text ')
    expect(writeDirectly(socket, Buffer.from('bytes '))).toBe(false)
    expect(socket.writableLength).toBe('text bytes '.length)
    const seen = collect(client)
    await eventually(() => seen.text === `${text}text bytes `)
    expect(unsentBytes(socket)).toBe(0)
    writeDirectly(socket, Buffer.from('last'))
    expect(socket.writableLength).toBe(0)
    await eventually(() => seen.text.endsWith('last'))
  })

  test('a connection that is ended is closed after the client has read everything', async () => {
    const { client, socket } = await open()
    const text = await fill(socket)
    socket.destroySoon()
    const seen = collect(client)
    await once(client, 'end')
    expect(seen.text).toBe(text)
  })

  test.each([
    ['with bytes that it has not taken', fill],
    ['with none', async () => undefined],
  ])('a connection to a client that is gone is closed, %s', async (_, begin) => {
    const { client, socket } = await open()
    const closed = new Promise(done => socket.on('error', () => undefined).once('close', done))
    await begin(socket)
    client.destroy()
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
    const { client, socket } = await open()
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
      way: fc.constantFrom('bytes', 'both', 'text', 'encrypt', 'stream', 'nothing', 'pause', 'wait'),
      size: fc.integer({ min: 1, max: 300_000 }),
    })
    const play = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { client, socket } = await open()
      const seen = collect(client)
      let text = ''
      for (const [i, { way, size }] of steps.entries()) {
        const part = `${i} `.padEnd(size, 'x')
        if (way === 'pause') client.pause()
        else if (way === 'nothing') socket.write('')
        else if (way === 'wait') await nextTurn()
        else text += part
        if (way === 'bytes') writeDirectly(socket, Buffer.from(part))
        if (way === 'both') writeBothDirectly(socket, Buffer.from(part[0]!), Buffer.from(part.slice(1)))
        if (way === 'text') writeTextDirectly(socket, part)
        if (way === 'encrypt') encryptOrWrite(socket, part)
        if (way === 'stream') socket.write(part)
      }
      socket.end()
      client.resume()
      await once(client, 'end')
      expect(seen.text === text).toBe(true)
    })
    await fc.assert(play, { numRuns: 50 })
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

test('a connection with TLS may need the memory longer', async () => {
  const { socket } = await openTls()
  expect(writeDirectly(socket, Buffer.from('one'))).toBe(false)
})

test('bytes that are encrypted directly may be overwritten at once', async () => {
  const { client, socket } = await openTls()
  const seen = collect(client)
  const memory = Buffer.from('one ')
  const sent = new Promise<void>(done => {
    expect(encryptDirectly(socket, memory, done)).toBe(true)
  })
  memory.write('two ')
  expect(encryptDirectly(socket, memory, () => undefined)).toBe(false)
  await sent
  expect(encryptDirectly(socket, memory, () => undefined)).toBe(true)
  await eventually(() => seen.text === 'one two ')
})

test('bytes are not encrypted directly on a connection without TLS', async () => {
  const { socket } = await openTcp()
  expect(encryptDirectly(socket, Buffer.from('one'), () => undefined)).toBe(false)
})

test('large answers to two clients with TLS are not mixed up', async () => {
  const pairs = await Promise.all([openTls(), openTls()])
  const bodies = ['a', 'b'].map(letter => Buffer.alloc(400_000, letter))
  for (const [i, { socket }] of pairs.entries()) writeBothDirectly(socket, Buffer.from('head '), bodies[i]!)
  const seen = pairs.map(({ client }) => collect(client))
  await eventually(() => seen.every(({ text }, i) => text === `head ${bodies[i]!.toString()}`))
})

test('bytes arrive in their order while keys are negotiated anew', async () => {
  const { client, socket } = await openTls({ maxVersion: 'TLSv1.2' })
  const seen = collect(client)
  let isNegotiated = false
  ;(socket as TLSSocket).renegotiate({}, () => {
    isNegotiated = true
  })
  let text = ''
  await eventually(async () => {
    text += '0123456789'
    encryptOrWrite(socket, '0123456789')
    await nextTurn()
    return isNegotiated
  })
  await eventually(() => seen.text === text)
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
