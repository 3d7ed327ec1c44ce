// The commands of svc. Names with a space are subcommands; help shows them in this order.
import { type Command, spellings } from './command.ts'
import { passwordCommands, previewsCommands } from './commands/access/table.ts'
import { gitCommands } from './commands/builds/table.ts'
import { cronsCommands } from './commands/crons/table.ts'
import { databasesCommands } from './commands/databases/table.ts'
import { deploymentsCommands } from './commands/deployments/table.ts'
import { diskCommands } from './commands/disk/table.ts'
import { domainsCommands } from './commands/domains/table.ts'
import { envCommands } from './commands/env/table.ts'
import { formsCommands } from './commands/forms/table.ts'
import { accountCommands } from './commands/identity/table.ts'
import { notificationsCommands } from './commands/notifications/table.ts'
import { orgCommands } from './commands/orgs/table.ts'
import { helpCommands } from './commands/platform/table.ts'
import { projectsCommands } from './commands/projects/table.ts'
import { sharesCommands } from './commands/shares/table.ts'

export const commands: Readonly<Record<string, Command>> = {
  ...accountCommands,
  ...projectsCommands,
  ...deploymentsCommands,
  ...gitCommands,
  ...previewsCommands,
  ...sharesCommands,
  ...domainsCommands,
  ...envCommands,
  ...diskCommands,
  ...cronsCommands,
  ...databasesCommands,
  ...notificationsCommands,
  ...formsCommands,
  ...passwordCommands,
  ...orgCommands,
  ...helpCommands,
}

export interface Found {
  name: string
  command: Command
  /** The words after the command's name. */
  args: string[]
}

const bySpelling = new Map(
  Object.entries(commands).flatMap(([name, command]) =>
    spellings(name, command).map(spelling => [spelling, { name, command }] as const),
  ),
)

const longestName = Math.max(...[...bySpelling.keys()].map(name => name.split(' ').length))

/** Finds the command that the first words name, the longest name first. */
export function findCommand(words: string[]): Found | undefined {
  for (let length = Math.min(longestName, words.length); length > 0; length--) {
    const first = words.slice(0, length)
    // A word with a space in it is an argument, never two words of a name.
    const found = first.some(word => word.includes(' ')) ? undefined : bySpelling.get(first.join(' '))
    if (found) return { ...found, args: words.slice(length) }
  }
  return undefined
}

/** The names of a command's subcommands, e.g. `deployments rm`. */
export function subcommands(name: string): string[] {
  const length = name.split(' ').length + 1
  return Object.keys(commands).filter(
    other => other.startsWith(`${name} `) && other.split(' ').length === length,
  )
}
