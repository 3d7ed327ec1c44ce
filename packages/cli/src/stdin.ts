// Reads secret values from stdin, so that they are not in the shell's history or in the list of processes.
import { Failure } from './failure.ts'
import { notice } from './output.ts'

/**
 * Reads all of stdin, without one line break at its end. Fails if stdin is empty, because a command in the pipe may have
 * failed.
 */
export async function readStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) notice(`Type ${what}, then Ctrl-D on a line of its own.`)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const text = decodeText(Buffer.concat(chunks), 'stdin').replace(/\r?\n$/, '')
  if (text === '') throw new Failure(`Expected ${what} on stdin, but nothing came.`)
  return text
}

/** Decodes UTF-8. Fails for other bytes, because replacing them would silently change a secret. */
export function decodeText(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Failure(`${source} is not UTF-8 text.`, { cause })
  }
}
