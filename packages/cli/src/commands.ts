// The commands of svc. Names with a space are subcommands; help shows them in this order.
import type { Command } from './command.ts'
import { passwordCommands } from './commands/access/table.ts'
import { gitCommands } from './commands/builds/table.ts'
import { cronsCommands } from './commands/crons/table.ts'
import { deploymentsCommands } from './commands/deployments/table.ts'
import { domainsCommands } from './commands/domains/table.ts'
import { envCommands } from './commands/env/table.ts'
import { formsCommands } from './commands/forms/table.ts'
import { accountCommands } from './commands/identity/table.ts'
import { orgCommands } from './commands/orgs/table.ts'
import { projectsCommands } from './commands/projects/table.ts'
import { sharesCommands } from './commands/shares/table.ts'

export const commands: Readonly<Record<string, Command>> = {
  ...accountCommands,
  ...projectsCommands,
  ...deploymentsCommands,
  ...gitCommands,
  ...sharesCommands,
  ...domainsCommands,
  ...envCommands,
  ...cronsCommands,
  ...formsCommands,
  ...passwordCommands,
  ...orgCommands,
}

export interface Found {
  name: string
  command: Command
  /** The words after the command's name. */
  args: string[]
}

/** Finds the command that the first words name, the longest name first. */
export function findCommand(words: string[]): Found | undefined {
  for (let length = longestName; length > 0; length--) {
    const found = Object.entries(commands).find(([name, command]) => isNamed(words, length, name, command))
    if (found) return { name: found[0], command: found[1], args: words.slice(length) }
  }
  return undefined
}

const longestName = Math.max(...Object.keys(commands).map(name => name.split(' ').length))

/** Whether the first `length` words are the name of the command, or another spelling of it. */
function isNamed(words: string[], length: number, name: string, { aliases = [] }: Command): boolean {
  const parts = name.split(' ')
  const last = parts.pop() ?? ''
  const isSpelled = [last, ...aliases].includes(words[length - 1] ?? '')
  return parts.length === length - 1 && isSpelled && parts.every((part, i) => part === words[i])
}

/** The names of a command's subcommands, e.g. `deployments rm`. */
export function subcommands(name: string): string[] {
  const length = name.split(' ').length + 1
  return Object.keys(commands).filter(
    other => other.startsWith(`${name} `) && other.split(' ').length === length,
  )
}
