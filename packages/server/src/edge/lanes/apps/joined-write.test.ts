import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { writeJoined } from './joined-write.ts'

/** A client whose bytes are taken at once, or only when `take` is called. */
function start({ isSlow = false, isSecure = false } = {}) {
  const chunks: Buffer[] = []
  const waiting: (() => void)[] = []
  const socket = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      if (isSlow) waiting.push(done)
      else done()
    },
  })
  if (isSecure) Object.assign(socket, { encrypted: true })
  const write = (head: string, body: string) =>
    writeJoined(socket as Socket, head, Buffer.from(`<${body}>`), 1, body.length + 1)
  return { chunks, write, take: () => waiting.shift()!(), texts: () => chunks.map(String) }
}

test('head and body are written at once', () => {
  const { write, chunks } = start()
  write('head \xff\r\n\r\n', 'body')
  expect(chunks.map(chunk => chunk.toString('latin1'))).toEqual(['head \xff\r\n\r\nbody'])
})

test('memory that was sent is used again', () => {
  const { write, chunks } = start()
  write('a', 'b')
  write('c', 'd')
  expect(chunks[1]!.buffer).toBe(chunks[0]!.buffer)
})

test('memory that a slow client has not taken keeps its bytes', () => {
  const slow = start({ isSlow: true })
  const fast = start()
  slow.write('slow ', 'one')
  fast.write('fast ', 'one')
  slow.write('slow ', 'two')
  fast.write('fast ', 'two')
  slow.take()
  fast.write('fast ', 'three')
  slow.take()
  expect(slow.texts()).toEqual(['slow one', 'slow two'])
})

test.each([
  ['a client with TLS', { isSecure: true }, 'body'],
  ['a long answer', {}, 'x'.repeat(20_000)],
])('%s gets memory of its own', (_, kind, body) => {
  const { write, chunks, texts } = start(kind)
  write('head', body)
  start().write('other', 'other')
  write('head', '')
  expect(texts()).toEqual([`head${body}`, 'head'])
  expect(chunks[1]!.buffer === chunks[0]!.buffer && chunks[1]!.byteOffset === chunks[0]!.byteOffset).toBe(
    false,
  )
})
