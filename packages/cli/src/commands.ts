// The commands of svc. Names with a space are subcommands; help shows them in this order.
import type { Command } from './command.ts'
import { accountCommands } from './tables/account.ts'
import { cronsCommands } from './tables/crons.ts'
import { deploymentsCommands } from './tables/deployments.ts'
import { domainsCommands } from './tables/domains.ts'
import { envCommands } from './tables/env.ts'
import { formsCommands } from './tables/forms.ts'
import { gitCommands } from './tables/git.ts'
import { orgCommands } from './tables/org.ts'
import { passwordCommands } from './tables/password.ts'
import { projectsCommands } from './tables/projects.ts'
import { sharesCommands } from './tables/shares.ts'

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
  /** What is left of the words that named it. */
  args: string[]
}

/** Finds the command that the first words name, the longest name first. */
export function findCommand(words: string[]): Found | undefined {
  for (const [name, command] of Object.entries(commands)) {
    const [first, second] = name.split(' ')
    if (second && words[0] === first && [second, ...(command.aliases ?? [])].includes(words[1] ?? ''))
      return { name, command, args: words.slice(2) }
  }
  const name = words[0] ?? ''
  const command = Object.hasOwn(commands, name) && !name.includes(' ') ? commands[name] : undefined
  return command && { name, command, args: words.slice(1) }
}

/** The names of a command's subcommands, e.g. `deployments rm`. */
export function subcommands(name: string): string[] {
  return Object.keys(commands).filter(other => other.startsWith(`${name} `))
}
