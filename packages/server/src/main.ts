// svcd's command line: start the platform, or tend it.
import { asksForHelp, type CommandName, overview, pageOf } from './commands/help.ts'
import { complain, show } from './commands/output.ts'
import { SettingError } from './config.ts'
import { Fault } from './lib/fault.ts'

/** Each command lives in its own file and is loaded when asked for. */
const commands: Record<CommandName, () => Promise<(args: string[]) => Promise<number>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  users: async () => (await import('./commands/users.ts')).users,
  keys: async () => (await import('./commands/keys.ts')).keys,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  config: async () => (await import('./commands/config.ts')).showConfig,
  backup: async () => (await import('./commands/backup/backup.ts')).backup,
  restore: async () => (await import('./commands/backup/restore.ts')).restore,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

/** Returns the exit code. */
export async function main(argv: string[]): Promise<number> {
  // What svcd writes is for svcd alone: the database, keys, deployments, logs.
  process.umask(0o077)
  const [first, ...rest] = argv
  const asked = first === 'help' || first === '--help' || first === '-h'
  const [name, ...args] = asked ? [...rest, '--help'] : argv
  if (name === undefined || name === '--help') return show(overview(), name === undefined ? 1 : 0)
  if (name === '--version' || name === '-v') {
    const { version } = await import('./version.ts')
    return show(`${version}\n`)
  }
  if (!isCommand(name)) return complain(`Unknown command '${name}'. See 'svcd --help'.`)
  if (asksForHelp(args)) return show(pageOf(name))
  try {
    return await (await commands[name]())(args)
  } catch (error) {
    if (error instanceof SettingError || error instanceof Fault || isUsage(error))
      return complain((error as Error).message)
    throw error
  }
}

const isUsage = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
