// Reads a stream of server-sent events, one event after another.
import { onTestFinished } from 'vitest'
import type { TestServer } from './server.ts'

interface ReceivedEvent {
  event: string
  data: unknown
}

interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** Waits for the next event. `undefined` when the stream has ended. */
  next(): Promise<ReceivedEvent | undefined>
  close(): void
}

/** Opens `GET /events`. A stream that was opened has sent `ready`. */
export async function openEvents(server: TestServer, token: string, query = ''): Promise<EventStream> {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const response = await fetch(`${server.apiUrl}/events${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: closing.signal,
  })
  const events = eventsOf(response.body)
  return {
    // Getters, because they refer to the response. `fetch` cancels the unread body of a response that nothing refers to.
    get status() {
      return response.status
    },
    get headers() {
      return response.headers
    },
    next: async () => (await events.next()).value,
    close: () => closing.abort(),
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ReceivedEvent, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const fields = new Map(part.split('\n').map(line => line.split(': ', 2) as [string, string]))
      const event = fields.get('event')
      if (event) yield { event, data: JSON.parse(fields.get('data') ?? 'null') }
    }
  }
  return undefined
}
