import { expect, it } from 'vitest'
import { readEvents } from './event-stream.ts'

const bodyOf = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })

async function read(...chunks: string[]) {
  const events = []
  for await (const event of readEvents(bodyOf(...chunks))) events.push(event)
  return events
}

it('events are read wherever the chunks are cut', async () => {
  const text =
    'retry: 2000\nevent: ready\ndata: {}\n\n: still here\n\nevent: change\ndata: {"topic":"app"}\n\n'
  const expected = [
    { event: 'ready', data: '{}' },
    { event: 'change', data: '{"topic":"app"}' },
  ]
  expect(await read(text)).toEqual(expected)
  expect(await read(...text)).toEqual(expected)
})

it('lines may end in CRLF, and data may have several lines', async () => {
  expect(await read('event: a\r\ndata: 1\r\ndata:2\r\n\r\n')).toEqual([{ event: 'a', data: '1\n2' }])
})

it('a comment, and an event without its end, are no events', async () => {
  expect(await read(': nothing\n\nevent: a\ndata: 1\n')).toEqual([])
})
