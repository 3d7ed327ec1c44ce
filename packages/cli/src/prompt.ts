// Questions to the user, asked on stderr so that stdout stays clean.
import { on } from 'node:events'
import { createInterface } from 'node:readline'
import { Failure } from './failure.ts'
import { notice } from './output.ts'

/** Questions need a terminal on stdin and stderr. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY)

/** Reads one line without the spaces around it. `undefined` if the input ends, such as by Ctrl-D. */
async function ask(question: string): Promise<string | undefined> {
  process.stderr.write(question)
  // An earlier question let go of the terminal.
  process.stdin.ref?.()
  const lines = createInterface({ input: process.stdin, terminal: false })
  try {
    for await (const line of lines) return line.trim()
    process.stderr.write('\n')
    return undefined
  } finally {
    lines.close()
    process.stdin.unref?.()
  }
}

type Kind = 'project' | 'organization' | 'form' | 'repository' | 'disk' | 'database'

/** What is about to happen to it. */
export const actions = {
  remove: { doing: 'Deleting', verb: 'delete', done: 'deleted' },
  replace: { doing: 'Replacing', verb: 'replace', done: 'changed' },
}

/** Asks the user to type the name, and fails otherwise. Says first what will be lost. */
export async function confirmByName(
  kind: Kind,
  name: string,
  loss: () => Promise<string>,
  { doing, verb, done } = actions.remove,
): Promise<void> {
  if (!canAsk())
    throw new Failure(
      `${doing} ${kind === 'organization' ? 'an' : 'a'} ${kind} asks for its name, and there is no terminal to ask at. Pass --yes.`,
    )
  notice(await loss())
  const isOfProject = kind === 'disk' || kind === 'database'
  const question = isOfProject ? `project to ${verb} its ${kind}` : `${kind} to ${verb} it`
  if ((await ask(`Type the name of the ${question}: `)) !== name)
    throw new Failure(`That is not its name. Nothing was ${done}.`)
}

/** Reads one line that is not shown while it is typed. */
export async function askSecretly(question: string): Promise<string> {
  const { stdin } = process
  stdin.ref?.()
  // Before the question, because people type as soon as they see it.
  stdin.setRawMode(true)
  process.stderr.write(question)
  try {
    return await readSecretly(stdin)
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    process.stderr.write('\n')
  }
}

/** Far more than any password here has. */
const maxTyped = 4096

const keys = { end: ['\r', '\n', '\x04'], interrupt: '\x03', erase: ['\x7f', '\b'], eraseAll: '\x15' }

async function readSecretly(stdin: NodeJS.ReadStream): Promise<string> {
  let typed: string[] = []
  const chunks = on(stdin.setEncoding('utf8'), 'data', { close: ['end'] })
  // An earlier question paused it.
  stdin.resume()
  for await (const [chunk] of chunks)
    for (const char of String(chunk)) {
      if (char === keys.interrupt) throw new Failure('Interrupted. Nothing was changed.')
      if (keys.end.includes(char)) return typed.join('')
      if (char === keys.eraseAll) typed = []
      else if (keys.erase.includes(char)) typed.pop()
      else if (typed.push(char) > maxTyped)
        throw new Failure(`That is longer than ${maxTyped} characters. Nothing was changed.`)
    }
  return typed.join('')
}

/** Asks for a text. An empty line means the default, if there is one. The end of the input does not. */
export async function askFor(question: string, byDefault: string): Promise<string> {
  const answer = await ask(`${question}${byDefault && ` [${byDefault}]`}: `)
  if (answer === undefined) throw noAnswer()
  return answer || byDefault
}

/** Asks for a number from 1. Returns 0 if none of them is typed. */
export async function chooseNumber(question: string, most: number): Promise<number> {
  const answer = (await ask(`${question} [1-${most}] `)) ?? ''
  const number = /^\d{1,3}$/.test(answer) ? Number(answer) : 0
  return number <= most ? number : 0
}

/** Asks a yes-or-no question. An empty line means the default. The end of the input never means yes. */
export async function confirm(question: string, byDefault: boolean): Promise<boolean> {
  const answer = (await ask(`${question} ${byDefault ? '[Y/n]' : '[y/N]'} `))?.toLowerCase()
  if (answer === undefined && byDefault) throw noAnswer()
  return answer === '' ? byDefault : answer === 'y' || answer === 'yes'
}

const noAnswer = () => new Failure('There was no answer, so nothing more was done.')
