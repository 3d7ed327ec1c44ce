// The type of a command: data for the parser and the help, and code that is loaded when the command runs.
import type { OptionName, OptionValues } from './options.ts'

interface Invocation {
  args: string[]
  options: OptionValues
}

export type Run = (invocation: Invocation) => Promise<void>

export interface Command {
  group: 'Account' | 'Projects' | 'Deployments' | 'Shares' | 'Settings' | 'Organizations'
  summary: string
  /** The arguments as help shows them: `<needed>`, `[optional]`, `[any number...]`. */
  args?: readonly string[]
  options?: readonly OptionName[]
  /** Other spellings of the last word of the name. */
  aliases?: readonly string[]
  /** A longer text for the command's own help page. */
  details?: string
  /** Missing if only the subcommands do something. */
  load?: () => Promise<Run>
}

/** A table of commands that help shows under one heading. */
export function inGroup(
  group: Command['group'],
  table: Record<string, Omit<Command, 'group'>>,
): Record<string, Command> {
  return Object.fromEntries(Object.entries(table).map(([name, command]) => [name, { group, ...command }]))
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
  return ['svc', name, ...(command.load ? (command.args ?? []) : ['<subcommand>'])].join(' ')
}
