import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { readDirectly } from './direct-reads.ts'
import { transports } from './testing/pairs.ts'

describe.each(transports)('a connection with %s', (_, open) => {
  /** Reads directly. `direct` and `events` are the texts that came in each way. */
  async function openReading() {
    const { client, socket } = await open()
    const seen = { direct: '', events: '', chunks: [] as Buffer[] }
    socket.on('data', chunk => {
      seen.events += chunk.toString()
    })
    const stop = readDirectly(socket, chunk => {
      seen.direct += chunk.toString()
      seen.chunks.push(chunk)
    })
    return { client, socket, seen, stop }
  }

  test('is read without events', async () => {
    const { client, socket, seen } = await openReading()
    const ended = once(socket, 'end')
    client.write('one ')
    await eventually(() => seen.direct === 'one ')
    client.end('two')
    await ended
    expect(seen).toMatchObject({ direct: 'one two', events: '' })
  })

  test('shares its buffer with others', async () => {
    const [one, two] = [await openReading(), await openReading()]
    one.client.write('one')
    await eventually(() => one.seen.direct === 'one')
    two.client.write('two')
    await eventually(() => two.seen.direct === 'two')
    expect(two.seen.chunks[0]!.buffer).toBe(one.seen.chunks[0]!.buffer)
  })

  test('has bytes of its own for those who read it by events', async () => {
    const { client, socket, seen, stop } = await openReading()
    stop()
    client.write('one')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    const other = await openReading()
    other.client.write('two')
    await eventually(() => other.seen.direct === 'two')
    expect([String(chunk), seen.direct]).toEqual(['one', ''])
  })

  test('is read by events if it is told so, until it is read directly again', async () => {
    const { client, socket, seen, stop } = await openReading()
    client.write('one')
    await eventually(() => seen.direct === 'one')
    stop()
    client.write('two')
    await eventually(() => seen.events === 'two')
    expect(seen.direct).toBe('one')
    let again = ''
    readDirectly(socket, chunk => {
      again += chunk.toString()
    })
    client.write('three')
    await eventually(() => again === 'three')
    expect(seen).toMatchObject({ direct: 'one', events: 'two' })
  })

  test('has its bytes in their order after a pause, and then is read directly again', async () => {
    const { client, socket } = await open()
    let text = ''
    let isPaused = false
    const read = (chunk: Buffer) => {
      text += chunk.toString()
      if (isPaused || !text.includes('stop')) return
      // Puts the end of the chunk back, as the lane does if it is full.
      isPaused = true
      socket.pause()
      const end = text.indexOf('stop') + 4
      socket.unshift(Buffer.from(text.slice(end)))
      text = text.slice(0, end)
      setImmediate(() => socket.resume())
    }
    socket.on('data', read)
    let directBytes = 0
    readDirectly(socket, chunk => {
      directBytes += chunk.length
      read(chunk)
    })
    const words = Array.from({ length: 200 }, (_, i) => `${i === 20 ? 'stop' : i} `)
    // Over TLS each word has a record of its own, and Node passes on several records of one read even after a pause.
    for (const word of words) client.write(word)
    await eventually(() => text === words.join(''))
    const before = directBytes
    client.write('last')
    await eventually(() => text.endsWith('last'))
    expect(directBytes).toBe(before + 4)
  })

  test('is not read while it is paused, however much the client sends', async () => {
    const { client, socket, seen } = await openReading()
    client.write('one')
    await eventually(() => seen.direct === 'one')
    socket.pause()
    const much = Buffer.alloc(8 * 1024 * 1024, 'x')
    client.write(much)
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
    expect(socket.bytesRead).toBeLessThan(much.length)
    expect(seen.direct + seen.events).toBe('one')
    socket.resume()
    await eventually(() => seen.direct.length + seen.events.length === 3 + much.length)
  })
})

test('other streams than connections keep their events', async () => {
  const stream = new PassThrough()
  readDirectly(stream as unknown as Socket, () => expect.unreachable())()
  stream.end('one')
  expect(String(await once(stream, 'data'))).toBe('one')
})
