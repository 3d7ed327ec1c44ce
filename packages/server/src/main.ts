// svcd's command line: start the platform, or tend it.
import { asksForHelp, type CommandName, overview, pageOf } from './commands/help.ts'
import { complain, show } from './commands/output.ts'
import { installedConfig, meanInstalled, readSettings, SettingError } from './config.ts'
import { Fault } from './lib/fault.ts'

/** Each command lives in its own file and is loaded when asked for. */
const commands: Record<CommandName, () => Promise<(args: string[]) => Promise<number>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  install: async () => (await import('./commands/install/install.ts')).install,
  upgrade: async () => (await import('./commands/upgrade/upgrade.ts')).upgrade,
  uninstall: async () => (await import('./commands/install/uninstall.ts')).uninstall,
  users: async () => (await import('./commands/users.ts')).users,
  projects: async () => (await import('./commands/projects.ts')).projects,
  export: async () => (await import('./commands/project-archive/export.ts')).exportCommand,
  import: async () => (await import('./commands/project-archive/import.ts')).importCommand,
  audit: async () => (await import('./commands/audit.ts')).audit,
  invoices: async () => (await import('./commands/invoices.ts')).invoices,
  nodes: async () => (await import('./commands/nodes.ts')).nodes,
  join: async () => (await import('./commands/join.ts')).join,
  keys: async () => (await import('./commands/keys.ts')).keys,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  config: async () => (await import('./commands/config.ts')).showConfig,
  backup: async () => (await import('./commands/backup/backup.ts')).backup,
  restore: async () => (await import('./commands/backup/restore.ts')).restore,
  db: async () => (await import('./commands/databases/restore.ts')).db,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
}

/** A service has its settings from its unit. All other commands find the installed platform by themselves. */
const startsItself: readonly CommandName[] = ['start', 'install', 'uninstall', 'join']

function nameInstalled(): void {
  if (!meanInstalled()) return
  const { platformDomain, dataDir } = readSettings()
  process.stderr.write(
    `svcd: ${platformDomain}, with the settings of ${installedConfig} and its data in ${dataDir}\n`,
  )
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)

/** Returns the exit code. */
export async function main(argv: string[]): Promise<number> {
  // What svcd writes is for svcd alone: the database, keys, deployments, logs.
  process.umask(0o077)
  endQuietly()
  const [first, ...rest] = argv
  const asked = first === 'help' || first === '--help' || first === '-h'
  const [name, ...args] = asked ? [...rest, '--help'] : argv
  if (name === undefined || name === '--help') return show(overview(), name === undefined ? 1 : 0)
  if (name === '--version' || name === '-v') {
    const { version } = await import('./version.ts')
    show(`${version}\n`)
    meanInstalled()
    const { otherVersionRuns } = await import('./commands/version-check.ts')
    const words = await otherVersionRuns()
    if (words) process.stderr.write(`${words}\n`)
    return 0
  }
  if (!isCommand(name)) return complain(`Unknown command '${name}'. See 'svcd --help'.`)
  if (asksForHelp(args)) return show(pageOf(name))
  try {
    if (!startsItself.includes(name)) nameInstalled()
    return await (await commands[name]())(args)
  } catch (error) {
    return complain(explain(error))
  }
}

/** What svcd prints is for people: no stack, and no line of the bundle. */
function endQuietly(): void {
  // The reader of a pipe may end first, as in `svcd doctor | head`. The command still completes its work.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  process.on('uncaughtException', error => {
    complain(explain(error))
    process.exit(1)
  })
}

/** One sentence. Errors that nobody foresaw are called so, for a report. */
function explain(error: unknown): string {
  if (error instanceof SettingError || error instanceof Fault || isUsage(error)) return error.message
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const [line = ''] = message.split('\n')
  if (code !== undefined && syscall !== undefined) return `${line}.`
  return `${line.slice(0, 500)}. This is a fault of the program or of its surroundings: run 'svcd doctor', and report it if that finds nothing.`
}

const isUsage = (error: unknown): error is Error =>
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
