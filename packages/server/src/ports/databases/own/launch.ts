// The command lines of PostgreSQL's programs. Where bubblewrap works, they see the system's programs, their own files and no
// network, and only the extensions that projects may have. They are not ended with svcd, which may be replaced.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { extensions } from '../limits.ts'
import type { Machine } from './machine.ts'
import type { Programs } from './programs.ts'

export interface ClusterDirs {
  /** `undefined` for programs that only connect to the server. */
  clusterDir?: string
  socketDir: string
}

export interface Launcher {
  /** The directories as the programs see them. */
  inside: { clusterDir: string; socketDir: string }
  /** The owner of the files. `undefined` if that is svcd's user. */
  user: number | undefined
  around(command: readonly string[]): [string, ...string[]]
}

/** For programs that only connect to a server. */
export const noSandbox: Launcher = {
  inside: { clusterDir: '', socketDir: '' },
  user: undefined,
  around: command => [...withLibraries(command), ...command] as [string, ...string[]],
}

const isRoot = process.getuid?.() === 0
/** Ids that no project has. */
const [serverId, clientId] = ['PostgreSQL', 'PostgreSQL clients']
const insideUser = '1000'
const inside = { clusterDir: '/var/lib/postgresql', socketDir: '/run/postgresql' }

/** What one session may allocate, in KB. A query that needs more fails, and not the whole server. */
const sessionKb = 512 * 1024

/** Throws if svcd is root and there is no sandbox: PostgreSQL refuses to run as root. */
export async function openLauncher(
  machine: Machine,
  programs: Programs,
  dirs: ClusterDirs,
): Promise<Launcher> {
  const setpriv = machine.programAt('setpriv')
  if (!(await machine.hasSandbox()) || (isRoot && !setpriv)) {
    if (isRoot)
      throw new Error(
        `PostgreSQL cannot run as root, and svcd needs a sandbox to run it as another user: ${machine.sandboxAdvice()}`,
      )
    return { inside: { clusterDir: '', ...dirs }, user: undefined, around: command => bounded(command) }
  }
  const { clusterDir, socketDir } = dirs
  const user = isRoot ? machine.userOf(clusterDir === undefined ? clientId : serverId) : undefined
  const view = [
    ...machine.systemSandbox(),
    ...(programs.bin.startsWith('/usr/') ? [] : shown(machine, path.resolve(programs.bin, '..'))),
    ...ofExtensions(programs.extensionDir),
    ...['--dev', '/dev', ...['/dev/shm', '/tmp'].flatMap(dir => ['--perms', '1777', '--tmpfs', dir])],
    ...(clusterDir === undefined
      ? []
      : [...machine.parentsOf(inside.clusterDir), '--bind', clusterDir, inside.clusterDir]),
    ...[...machine.parentsOf(inside.socketDir), '--bind', socketDir, inside.socketDir],
    ...['--unshare-net', '--unshare-uts', '--cap-drop', 'ALL'],
  ]
  return {
    inside,
    user,
    around: command => {
      if (user === undefined) {
        const asUser = ['--unshare-user', '--uid', insideUser, '--gid', insideUser]
        return [...view, ...asUser, ...withName, ...bounded(command)] as [string, ...string[]]
      }
      const rights = ['SETUID', 'SETGID', 'SETPCAP'].flatMap(name => ['--cap-add', `CAP_${name}`])
      const drop = ['--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
      return [
        ...[...view, ...rights, ...withName],
        ...[setpriv ?? '', '--reuid', `${user}`, '--regid', `${user}`, ...drop, ...bounded(command)],
      ] as [string, ...string[]]
    },
  }
}

/** PostgreSQL asks for the name of its user. The entry comes from file descriptor 3. */
export const passwdFd = 3
export const passwdFor = (user: number | undefined): string =>
  `postgres:x:${user ?? insideUser}:${user ?? insideUser}::/tmp:/bin/sh\n`

const withName = [
  ...['--perms', '0444', '--ro-bind-data', String(passwdFd), '/etc/passwd'],
  ...['--remount-ro', '/dev', '--remount-ro', '/'],
]

const bounded = (command: readonly string[]): [string, ...string[]] => [
  ...(['/bin/sh', '-c'] as const),
  `ulimit -c 0; ulimit -d ${sessionKb}; exec "$@"`,
  ...['sh', ...withLibraries(command), ...command],
]

/** The programs of a package find their libraries by a path in /proc, which is not there. */
const withLibraries = ([program = '']: readonly string[]): string[] =>
  program.startsWith('/usr/') ? [] : ['env', `LD_LIBRARY_PATH=${path.resolve(program, '../../lib')}`]

/** Hides the control files of all other extensions. Then not even a mistake of the superuser could create them. */
function ofExtensions(dir: string): string[] {
  const allowed = [...extensions, 'pg_stat_statements']
  const isAllowed = (file: string) =>
    allowed.some(name => file === `${name}.control` || file.startsWith(`${name}--`))
  const files = existsSync(dir) ? readdirSync(dir).filter(isAllowed) : []
  return [...['--tmpfs', dir], ...files.flatMap(file => ['--ro-bind', ...twice(path.join(dir, file))])]
}

const shown = (machine: Machine, dir: string): string[] => [
  ...[...machine.parentsOf(dir), '--ro-bind'],
  ...twice(dir),
]

const twice = (file: string): [string, string] => [file, file]
