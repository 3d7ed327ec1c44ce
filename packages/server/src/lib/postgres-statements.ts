// Runs statements on a connection to PostgreSQL and keeps nothing of their results, however large they are.
import type { Duplex } from 'node:stream'

/** What went wrong, with the line of the statements that it is about. */
export class StatementFailed extends Error {}

/** What is kept of an error. */
const longestError = 8 * 1024
const longestWords = 300
const [copyIn, error, ready] = ['G', 'E', 'Z'].map(letter => letter.charCodeAt(0))
const inTransaction = 'T'.charCodeAt(0)

/**
 * Runs each text of statements after the one before. Throws the first error, and if a transaction is still open at the end of a text.
 * `server` is a session that is ready; it can be used no more afterwards.
 */
export function runStatements(
  server: Duplex,
  [statements = '', ...more]: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let failed: Error | undefined
    const end = (problem?: Error) => {
      signal.removeEventListener('abort', late)
      server.destroy()
      if (problem) reject(problem)
      else resolve()
    }
    const late = () => end(signal.reason)
    signal.addEventListener('abort', late)
    if (signal.aborted) return late()
    const read = messages((type, body) => {
      if (type === error) failed ??= describe(body, statements)
      // There is nothing to copy from.
      if (type === copyIn) server.write(message('f', 'COPY needs a file, which there is not'))
      if (type !== ready) return
      failed ??= body[0] === inTransaction ? new StatementFailed(notCommitted) : undefined
      const next = more.shift()
      if (failed || next === undefined) return end(failed)
      statements = next
      server.write(message('Q', statements))
    })
    server.on('data', read)
    server.once('close', () => end(failed ?? new Error('The server closed the connection.')))
    server.write(message('Q', statements))
    server.resume()
  })
}

const notCommitted = 'begin has no commit, so nothing was changed'

/** Calls `onMessage` with the beginning of each message. */
function messages(onMessage: (type: number, body: Buffer) => void): (chunk: Buffer) => void {
  let head = Buffer.alloc(0)
  let body: Buffer[] = []
  let kept = 0
  let left = 0
  return chunk => {
    for (let at = 0; at < chunk.length; ) {
      if (head.length < 5) {
        const part = chunk.subarray(at, at + 5 - head.length)
        head = Buffer.concat([head, part])
        at += part.length
        if (head.length < 5) return
        left = head.readInt32BE(1) - 4
      }
      const part = chunk.subarray(at, at + left)
      at += part.length
      left -= part.length
      if (kept < longestError) body.push(part.subarray(0, longestError - kept))
      kept += part.length
      if (left > 0) return
      onMessage(head[0]!, Buffer.concat(body))
      head = Buffer.alloc(0)
      body = []
      kept = 0
    }
  }
}

/** Classes of errors whose words may quote values of the data: wrong values, and what functions of the database say. */
const quoting = /^(22|P0)/

/** An error is a list of fields, each with a letter. */
function describe(body: Buffer, statements: string): StatementFailed {
  const fields = new Map(
    body
      .toString()
      .split('\0')
      .map(field => [field[0], field.slice(1)]),
  )
  const code = fields.get('C') ?? ''
  const position = Number(fields.get('P') ?? 0)
  const words = quoting.test(code)
    ? `error ${code} of PostgreSQL, whose words may quote the data`
    : (fields.get('M') ?? 'unknown error').slice(0, longestWords)
  return new StatementFailed(`${position > 0 ? `line ${lineAt(statements, position)}: ` : ''}${words}`)
}

const lineAt = (statements: string, position: number): number =>
  [...statements]
    .slice(0, position - 1)
    .join('')
    .split('\n').length

function message(type: string, text: string): Buffer {
  const head = Buffer.from(`${type}0000`)
  head.writeInt32BE(Buffer.byteLength(text) + 5, 1)
  return Buffer.concat([head, Buffer.from(`${text}\0`)])
}
