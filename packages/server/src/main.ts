// svcd's command line: start the platform, or tend it.
import { SettingError } from './config.ts'
import { Fault } from './lib/fault.ts'

const help = `svcd: the deploy platform

Usage: svcd <command>

  start [--role api,edge,runner,builder,worker]   run the platform (default: all roles)
  users create <login> [--email <e>] [--password <p>] [--admin] [--token]
                                                  create an account; --token prints a fresh cli token
  users list                                      list the accounts
  users passwd <login> [--password <p>]           set a password
  keys list                                       show the keys that seal values, and how many each has sealed
  keys rotate                                     make a new key and seal every value with it
  migrate                                         bring the database to the newest schema
  config                                          show the effective settings, secrets redacted
  doctor                                          check every dependency and say what is wrong

Settings are environment variables (SVCD_PORT, SVCD_DATA_DIR, …) or a file of them named by SVCD_CONFIG.
`

/** Each command lives in its own file and is loaded when asked for. */
const commands: Record<string, () => Promise<(args: string[]) => Promise<number>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  users: async () => (await import('./commands/users.ts')).users,
  keys: async () => (await import('./commands/keys.ts')).keys,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  config: async () => (await import('./commands/config.ts')).showConfig,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
}

/** Answers the exit code. */
export async function main(argv: string[]): Promise<number> {
  const [name, ...args] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help)
    return name === undefined ? 1 : 0
  }
  if (name === '--version') {
    const { version } = await import('./version.ts')
    process.stdout.write(`${version}\n`)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return complain(`Unknown command '${name}'. See 'svcd --help'.`)
  try {
    return await (await command())(args)
  } catch (error) {
    if (error instanceof SettingError || error instanceof Fault || isUsage(error))
      return complain((error as Error).message)
    throw error
  }
}

export function complain(message: string): number {
  process.stderr.write(`svcd: ${message}\n`)
  return 1
}

const isUsage = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
