// Reads the progress of a build, which the engine sends as one JSON object a line.

interface Message {
  stream?: string
  status?: string
  id?: string
  progressDetail?: { current?: number }
  error?: string
}

interface BuildMessage {
  /** For the log. Empty if the message is only about progress. */
  text: string
  error: string | undefined
}

/** Longer lines are dropped. The engine sends what a command wrote in much shorter ones. */
const lineAtMost = 1024 * 1024

export async function* buildMessages(answer: AsyncIterable<Buffer>): AsyncGenerator<BuildMessage> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of answer) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineAtMost) rest = ''
    for (const line of lines) yield read(line)
  }
  if (rest !== '') yield read(rest)
}

function read(line: string): BuildMessage {
  try {
    const { stream, status, id, progressDetail, error } = JSON.parse(line) as Message
    // Pulls report each layer many times.
    const pulled = status !== undefined && !progressDetail ? `${id ? `${id}: ` : ''}${status}\n` : ''
    return { text: stream ?? pulled, error }
  } catch {
    return { text: '', error: undefined } // An empty line, or the rest of one that was dropped.
  }
}
