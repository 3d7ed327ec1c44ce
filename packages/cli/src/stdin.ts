// Reads secret values from stdin, so that they are not in the shell's history or in the list of processes.
import { Failure } from './failure.ts'
import { notice } from './output.ts'

interface Expected {
  /** What is expected, for messages: `the password`. */
  what: string
  maxBytes: number
  /** The error message for more than `maxBytes`. */
  tooLong: string
}

/**
 * Reads all of stdin, without one line break at its end. Fails if stdin is empty, because a command in the pipe may have
 * failed. Fails as soon as more than `maxBytes` came, because a pipe can be endless.
 */
export async function readStdin({ what, maxBytes, tooLong }: Expected): Promise<string> {
  if (process.stdin.isTTY) notice(`Type ${what}, then Ctrl-D on a line of its own.`)
  const bytes = await readAtMost(process.stdin, maxBytes + '\r\n'.length)
  if (!bytes) throw new Failure(tooLong)
  const text = decodeText(bytes, 'stdin').replace(/\r?\n$/, '')
  if (text === '') throw new Failure(`Expected ${what} on stdin, but nothing came.`)
  return text
}

/** `undefined` if there are more bytes. Then the stream is closed, and the rest is not read. */
export async function readAtMost(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Decodes UTF-8. Fails for other bytes, because replacing them would silently change a secret. */
export function decodeText(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Failure(`${source} is not UTF-8 text.`, { cause })
  }
}
