// What a command is: data that the parser and the help read, and code that is loaded when it runs.
import type { OptionName, OptionValues } from './options.ts'

interface Invocation {
  args: string[]
  options: OptionValues
}

export type Run = (invocation: Invocation) => Promise<void>

export interface Command {
  group: 'Account' | 'Projects' | 'Deployments' | 'Shares' | 'Settings' | 'Organizations'
  summary: string
  /** As help shows them: `<needed>`, `[optional]`, `[any number...]`. */
  args?: readonly string[]
  options?: readonly OptionName[]
  /** Other spellings of the last word of the name. */
  aliases?: readonly string[]
  /** What a reader of the command's own help should know beyond the summary. */
  details?: string
  /** Missing where the name alone does nothing, and only its subcommands do. */
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
