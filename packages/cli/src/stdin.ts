// Values that come on stdin, where neither the shell's history nor the list of processes shows them.
import { Failure } from './failure.ts'
import { notice } from './output.ts'

/** All of it, without one line break at its end. Nothing at all is a mistake, such as a command that failed. */
export async function readStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) notice(`Type ${what}, then Ctrl-D on a line of its own.`)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const text = decodeText(Buffer.concat(chunks), 'stdin').replace(/\r?\n$/, '')
  if (text === '') throw new Failure(`Expected ${what} on stdin, but nothing came.`)
  return text
}

/** Bytes that are not text would be replaced in silence, and a secret would no longer be what it was. */
export function decodeText(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Failure(`${source} is not UTF-8 text.`, { cause })
  }
}
