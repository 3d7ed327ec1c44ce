// Questions to the user, asked on stderr so that stdout stays clean.
import { createInterface } from 'node:readline'
import { Failure } from './failure.ts'
import { notice } from './output.ts'

/** Only people are asked: where stdin or stderr is no terminal, nobody could answer. */
const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY)

/** One line, without the spaces around it; empty where the input ends instead. */
async function ask(question: string): Promise<string> {
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

/** Goes on only when the name has been typed. What will be lost is found out, and said, before the question. */
export async function confirmByName(
  kind: 'project' | 'organization',
  name: string,
  loss: () => Promise<string>,
): Promise<void> {
  if (!canAsk())
    throw new Failure(
      `Deleting ${kind === 'project' ? 'a' : 'an'} ${kind} asks for its name, and there is no terminal to ask at. Pass --yes.`,
    )
  notice(await loss())
  if ((await ask(`Type the name of the ${kind} to delete it: `)) !== name)
    throw new Failure('That is not its name. Nothing was deleted.')
}
