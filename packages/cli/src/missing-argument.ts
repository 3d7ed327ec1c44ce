// What svc does about a missing argument that it can list: it asks at a terminal, and shows scripts the usage message.
import type { Choices } from './command.ts'
import { Failure } from './failure.ts'
import { notice, tableLines } from './output.ts'
import { canAsk, chooseNumber, confirm } from './prompt.ts'

const mostShown = 5
/** A longer list scrolls away before one can choose. */
const mostAsked = 40

/** The list under a usage message. */
export function listOf({ heading, rows, more }: Choices): string {
  const lines = tableLines(rows.slice(0, mostShown)).map(line => `  ${line}`)
  return [heading, ...lines, ...(rows.length > mostShown ? [`'${more}' lists more.`] : [])].join('\n')
}

/** Returns the argument. `undefined` if there is nothing to choose, or no terminal to ask at. */
export async function chooseArgument({ heading, rows }: Choices): Promise<string | undefined> {
  if (rows.length === 0 || rows.length > mostAsked || !canAsk()) return undefined
  notice(heading)
  for (const line of tableLines(rows.map((row, i) => [`  ${i + 1}`, ...row]))) notice(line)
  const chosen = rows[(await choose(rows.length)) - 1]?.[0]
  if (chosen === undefined) throw new Failure('Nothing was chosen, and nothing was changed.')
  return chosen
}

const choose = async (most: number): Promise<number> =>
  most === 1 ? Number(await confirm('This one?', true)) : await chooseNumber('Which one?', most)
