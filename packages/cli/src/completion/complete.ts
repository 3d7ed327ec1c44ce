// What can follow on a command line, for the completion scripts of the shells. It is made from the table of commands.
import { type Command, optionOf } from '../command.ts'
import { commands, findCommand } from '../commands.ts'
import { type OptionName, option, optionNames } from '../options.ts'
import { print } from '../output.ts'
import { projectNames } from './project-names.ts'

interface Candidate {
  word: string
  about?: string
}

/** What the shell itself completes. */
const files: Candidate = { word: ':files' }
const folders: Candidate = { word: ':folders' }

/** Prints a line for each candidate: the word, and a tab with its description. */
export async function printCandidates(words: string[]): Promise<void> {
  for (const { word, about } of await complete(words)) print(about ? `${word}\t${about}` : word)
}

/** The candidates for the last word. */
async function complete(words: string[]): Promise<Candidate[]> {
  // bash makes a word of its own of the `=` in `--project=blog`.
  const [current = '', ...before] = words
    .filter((word, i) => word !== '=' || i === words.length - 1)
    .reverse()
  const line = readLine(before.reverse())
  const typed = current === '=' ? '' : current
  return (await candidatesFor(line, typed)).filter(
    ({ word }) => word.startsWith(typed) || word.startsWith(':'),
  )
}

interface Line {
  positionals: string[]
  given: Set<string>
  /** The option whose value comes next. */
  awaited: OptionName | undefined
  /** After `--` come no options. */
  onlyPositionals: boolean
}

function readLine(words: string[]): Line {
  const line: Line = { positionals: [], given: new Set(), awaited: undefined, onlyPositionals: false }
  for (const word of words) {
    if (line.awaited) line.awaited = undefined
    else if (line.onlyPositionals || !word.startsWith('-')) line.positionals.push(word)
    else if (word === '--') line.onlyPositionals = true
    else {
      const [name = '', value] = word.slice(2).split('=')
      line.given.add(name)
      if (value === undefined && isOption(name) && option(name).type === 'string') line.awaited = name
    }
  }
  return line
}

const isOption = (name: string): name is OptionName => optionNames.some(other => other === name)

async function candidatesFor(line: Line, typed: string): Promise<Candidate[]> {
  const command = findCommand(line.positionals)?.command
  if (line.awaited) return await valuesOf(line.awaited, command)
  const [flag = '', value] = typed.split('=')
  const name = flag.slice(2)
  if (value !== undefined && isOption(name))
    return (await valuesOf(name, command)).map(({ word }) => ({ word: `${flag}=${word}` }))
  if (typed.startsWith('-') && !line.onlyPositionals) return optionsAfter(line)
  const [first, ...rest] = line.positionals
  if (first === 'help') return nextWords(rest)
  return [...nextWords(line.positionals), ...(await argumentsAfter(line.positionals))]
}

async function valuesOf(name: OptionName, command: Command | undefined): Promise<Candidate[]> {
  const { choices } = optionOf(command, name)
  if (choices) return choices.map(word => ({ word }))
  return (await values[name]?.()) ?? []
}

const projects = async (): Promise<Candidate[]> => (await projectNames()).map(word => ({ word }))

const values: Partial<Record<OptionName, () => Promise<Candidate[]>>> = {
  project: projects,
  output: async () => [folders],
  root: async () => [folders],
}

function optionsAfter({ positionals, given }: Line): Candidate[] {
  const found = findCommand(positionals)
  const names: readonly OptionName[] = found ? (found.command.options ?? []) : ['project', 'version']
  return [...names, 'help' as const]
    .filter(name => !given.has(name))
    .map(name => ({ word: `--${name}`, about: optionOf(found?.command, name).summary }))
}

/** The next words of commands that begin with these words. */
function nextWords(words: string[]): Candidate[] {
  const next = new Map<string, string>()
  for (const [name, command] of Object.entries(commands)) {
    const parts = name.split(' ')
    const word = parts[words.length]
    const follows = word !== undefined && words.every((part, i) => part === parts[i])
    // A name comes before its subcommands in the table, so its own summary stays.
    if (follows && !next.has(word)) next.set(word, command.summary)
    if (command.isList && name === words.join(' ')) next.set('ls', command.summary)
  }
  return [...next].map(([word, about]) => ({ word, about }))
}

/** What the next argument of the command may be, by its name in the help: `[dir]`, `<project>`, `<ai|cli>`. */
async function argumentsAfter(words: string[]): Promise<Candidate[]> {
  const found = findCommand(words)
  if (!found) return []
  const name = argumentAt(found.command, found.args.length)
  if (name.includes('|')) return name.split('|').map(word => ({ word }))
  return (await argumentsNamed[name]?.()) ?? []
}

const argumentsNamed: Record<string, () => Promise<Candidate[]>> = {
  dir: async () => [folders],
  file: async () => [files],
  project: projects,
  platform: async () => ['vercel', 'netlify'].map(word => ({ word })),
  role: async () => ['member', 'admin', 'owner'].map(word => ({ word })),
}

function argumentAt({ args = [] }: Command, index: number): string {
  const last = args.at(-1)
  const arg = args[index] ?? (last?.includes('...') ? last : '')
  return arg.replace(/[<>[\].]/g, '')
}
