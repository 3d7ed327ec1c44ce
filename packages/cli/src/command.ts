// The type of a command: data for the parser and the help, and code that is loaded when the command runs.
import { type Option, type OptionName, type OptionValues, option } from './options.ts'

type OptionText = Pick<Option, 'value' | 'summary' | 'choices'>

interface Invocation {
  args: string[]
  options: OptionValues
}

export type Run = (invocation: Invocation) => Promise<void>

/** What a missing argument could be. The first cell of a row is the argument. */
export interface Choices {
  /** What stands above the rows, or says why there are none. */
  heading: string
  rows: readonly string[][]
  /** The command that lists more. */
  more: string
}

export type Candidates = (invocation: Invocation) => Promise<Choices | undefined>

export interface Command {
  group: 'Account' | 'Projects' | 'Deployments' | 'Shares' | 'Settings' | 'Organizations' | 'Help'
  summary: string
  /** The arguments as help shows them: `<needed>`, `[optional]`, `[any number...]`. */
  args?: readonly string[]
  /** The options that do something here. The global ones are accepted everywhere, and help lists them where they act. */
  options?: readonly OptionName[]
  /** What an option says of itself here, where it means something else than in other commands. */
  optionTexts?: Partial<Record<OptionName, OptionText>>
  /** Other spellings of the last word of the name. */
  aliases?: readonly string[]
  /** It shows a list: `svc domains ls` and `svc domains list` are the same as `svc domains`. */
  isList?: true
  /** A longer text for the command's own help page. */
  details?: string
  /** Missing if only the subcommands do something, and for a built-in command. */
  load?: () => Promise<Run>
  /** Lists what the missing argument could be. A terminal is asked which one; the usage message ends with the list. */
  candidates?: () => Promise<Candidates>
  /** What main does itself, because it needs the table of all commands. */
  builtIn?: 'help' | 'version'
}

type Table = Record<string, Omit<Command, 'group'>>

/** A table of commands that help shows under one heading. */
export function inGroup(group: Command['group'], table: Table): Record<string, Command> {
  return Object.fromEntries(Object.entries(table).map(([name, command]) => [name, { group, ...command }]))
}

/** The same for commands that act on a project: the linked one, or the one of --project. */
export function onProject(group: Command['group'], table: Table): Record<string, Command> {
  const withOption = ([name, command]: [string, Table[string]]): [string, Table[string]] =>
    command.load ? [name, { ...command, options: ['project', ...(command.options ?? [])] }] : [name, command]
  return inGroup(group, Object.fromEntries(Object.entries(table).map(withOption)))
}

/** An option as this command describes it. */
export function optionOf(command: Command | undefined, name: OptionName): Option {
  const text = command?.optionTexts?.[name]
  return text ? { type: option(name).type, ...text } : option(name)
}

interface Arity {
  least: number
  most: number
}

export function arity(command: Command): Arity {
  const args = command.args ?? []
  return {
    least: args.filter(arg => arg.startsWith('<')).length,
    most: args.some(arg => arg.includes('...')) ? Number.POSITIVE_INFINITY : args.length,
  }
}

/** `svc rollback <deployment-id>` */
export function usage(name: string, command: Command): string {
  const list = command.isList ? ['[ls]'] : []
  const args = command.load || command.builtIn ? (command.args ?? []) : ['<subcommand>']
  return ['svc', name, ...list, ...args].join(' ')
}

/** Every way to write a command's name, its own name first. */
export function spellings(name: string, { aliases = [], isList }: Command): string[] {
  const parents = name.split(' ').slice(0, -1)
  return [
    name,
    ...aliases.map(alias => [...parents, alias].join(' ')),
    ...(isList ? [`${name} ls`, `${name} list`] : []),
  ]
}
