// Questions to the user, asked on stderr so that stdout stays clean.
import { createInterface } from 'node:readline'

/** Only people are asked: where stdin or stderr is no terminal, nobody could answer. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY)

/** One line, without the spaces around it; empty where the input ends instead. */
export async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const lines = createInterface({ input: process.stdin, terminal: false })
  try {
    for await (const line of lines) return line.trim()
    process.stderr.write('\n')
    return ''
  } finally {
    lines.close()
    process.stdin.unref?.()
  }
}
