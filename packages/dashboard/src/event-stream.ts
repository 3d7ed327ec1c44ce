// Reads server-sent events from a body. EventSource cannot send the token of the session.

interface ServerSentEvent {
  event: string
  data: string
}

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unread = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    // A carriage return at the end of a chunk stays until its line feed is there.
    const blocks = (unread + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readBlock(block)
      if (event) yield event
    }
  }
}

/** `undefined` for a block without data, such as a comment that keeps the connection open. */
function readBlock(block: string): ServerSentEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined
}
