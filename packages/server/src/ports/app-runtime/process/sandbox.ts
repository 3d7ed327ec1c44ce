// The sandbox around a command, as an argv: bubblewrap shows it its own files, the system's programs and libraries, and
// nothing of the platform or of other processes. What apps and what builds run is up to the caller.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { programAt } from '../programs.ts'
import { projectUser } from '../project-user.ts'
import { seccompFilter } from './seccomp/filter.ts'

/** Where a sandboxed command finds its files. */
export const insideDir = '/app'
/** The home directory of a command that has one of its own. */
export const insideHomeDir = '/home'

export interface Wall {
  /** In words for the operator. */
  words: string
  /** Whether nobody else's processes have the user that the app has behind it. */
  hasOwnUser: boolean
  /** The user that the command runs as, for its files. `undefined` if it runs as svcd's user. */
  userOf(owner: string): number | undefined
  /** The command line that runs `command` inside the sandbox. */
  around(inside: Inside): string[]
  /** What the command above reads from file descriptor 3, 4 and so on. */
  inputs(inside: Inside): Buffer[]
}

interface Inside {
  /** Where svcd is root, commands of one owner have a user that no other owner has. */
  owner: string
  filesDir: string
  /** Whether the command may change its files. */
  filesAreWritable?: boolean
  scratchDirs: readonly string[]
  /** A directory that the command may change, and sees as its home. */
  homeDir?: string
  command: readonly string[]
  /** The resolver configuration. Empty if the command cannot reach any resolver. */
  resolvConf: string
  /** Directories of the platform, for the case that they lie below one that is shown. */
  hidden: readonly string[]
}

const bwrap = programAt('bwrap')
const setpriv = programAt('setpriv')
const scratchBytes = 256 * 1024 * 1024
const isRoot = process.getuid?.() === 0
/** Inside of its user namespace. */
const plainUser = '1000'
const firstInputFd = 3

/** What programs read to find names, certificates and the time. No keys and no accounts are among them. */
const systemFiles = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
]

/** Places below /usr where operators keep settings, sources and data. */
const hiddenDirs = ['/usr/etc', '/usr/local/etc', '/usr/local/src', '/usr/local/var', '/usr/src', '/usr/var']

/** What /proc tells of the whole machine and its kernel: the files that container engines hide, too. */
const hiddenProcFiles = [
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/timer_list',
]

/** `undefined` if bubblewrap is missing, or the system does not let it do its work. */
export async function findWall(): Promise<Wall | undefined> {
  if (!bwrap || !programAt('nsenter')) return undefined
  const nothing = { owner: '', filesDir: '/usr', scratchDirs: [], resolvConf: '', hidden: [] }
  const inside = { ...nothing, command: ['true'] }
  for (const wall of isRoot && setpriv ? [ownUserWall, plainWall] : [plainWall]) {
    const [program = '', ...args] = wall.around(inside)
    if (await works([program, '--unshare-net', ...args], wall.inputs(inside))) return wall
  }
  return undefined
}

/** For the operator, if there is none. */
export const wallAdvice = bwrap
  ? 'let bubblewrap, which is installed, do its work: allow user namespaces (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or in a container grant CAP_SYS_ADMIN'
  : 'install bubblewrap (Debian: apt-get install bubblewrap)'

/** Small files that are made for each app. bubblewrap reads their contents from file descriptors. */
const madeFiles = ['/etc/resolv.conf', '/etc/passwd', '/etc/group']

/** `user` is named in /etc/passwd: without an entry there, Node's os.userInfo() throws. */
const inputsFor = ({ resolvConf }: Inside, user: number): Buffer[] => [
  seccompFilter(),
  ...[resolvConf, `app:x:${user}:${user}::/tmp:/bin/sh\n`, `app:x:${user}:\n`].map(text => Buffer.from(text)),
]

const plainWall: Wall = {
  words: 'bubblewrap',
  // A user namespace counts its processes by itself.
  hasOwnUser: !isRoot,
  userOf: () => undefined,
  around: inside => [
    ...mounts(inside),
    // Nested in the one that owns the network namespace, over which the command has no power for that reason.
    ...(isRoot ? [] : ['--unshare-user', '--uid', plainUser, '--gid', plainUser]),
    ...['--cap-drop', 'ALL', ...inside.command],
  ],
  inputs: inside => inputsFor(inside, isRoot ? 0 : Number(plainUser)),
}

/** As root every project gets a user of its own, so that apps cannot touch each other's sockets and limits. */
const ownUserWall: Wall = {
  words: 'bubblewrap, a user for each project',
  hasOwnUser: true,
  userOf: projectUser,
  around(inside) {
    const user = String(projectUser(inside.owner))
    const capabilities = ['SETUID', 'SETGID', 'SETPCAP'].flatMap(name => ['--cap-add', `CAP_${name}`])
    const drop = ['--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
    return [
      ...mounts(inside),
      ...['--cap-drop', 'ALL', ...capabilities],
      ...[setpriv ?? '', '--reuid', user, '--regid', user, ...drop, ...inside.command],
    ]
  },
  inputs: inside => inputsFor(inside, projectUser(inside.owner)),
}

function mounts(inside: Inside): string[] {
  const { filesDir, filesAreWritable, scratchDirs, homeDir, hidden } = inside
  return [
    ...bareSandbox(),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--seccomp', String(firstInputFd)],
    ...madeFiles.flatMap((file, i) => [
      ...['--perms', '0444', '--ro-bind-data', String(firstInputFd + 1 + i), file],
    ]),
    ...hiddenProcFiles.filter(existsSync).flatMap(file => ['--ro-bind', '/dev/null', file]),
    ...['/dev/shm', '/tmp'].flatMap(writable),
    ...[filesAreWritable ? '--bind' : '--ro-bind', filesDir, insideDir],
    ...(homeDir === undefined ? [] : ['--bind', homeDir, insideHomeDir]),
    ...scratchDirs.flatMap(dir => writable(`${insideDir}/${dir}`)),
    ...hidden.filter(dir => dir.startsWith('/usr/') && existsSync(dir)).flatMap(empty),
    // Where the app is the owner of these, their size would be bounded by nothing.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', insideDir],
  ]
}

/** The system's programs and libraries, /proc and /dev, and nothing else; further options may follow. */
export function bareSandbox(): string[] {
  return [
    ...[bwrap ?? '', '--die-with-parent', '--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(shown),
    ...['/etc', '/etc/ssl'].flatMap(dir => ['--perms', '0755', '--dir', dir]),
    ...systemFiles.flatMap(file => ['--ro-bind-try', file, file]),
    ...hiddenDirs.filter(existsSync).flatMap(empty),
    ...nodeAt(realpathSync(process.execPath)),
    ...['--proc', '/proc', '--dev', '/dev'],
  ]
}

/** Node itself, npm and what is installed with them; whatever else is in the same place is not for apps to see. */
export function nodeAt(program: string): string[] {
  if (program.startsWith('/usr/')) return []
  const bin = path.dirname(program)
  const modules = path.join(path.dirname(bin), 'lib', 'node_modules')
  const links = ['npm', 'npx', 'corepack'].map(name => path.join(bin, name))
  return [
    ...['--ro-bind', program, program, '--ro-bind-try', modules, modules],
    ...links.flatMap(link => (isLink(link) ? ['--symlink', readlinkSync(link), link] : [])),
  ]
}

/** Links into /usr on most systems, directories on others. */
function shown(dir: string): string[] {
  if (!existsSync(dir)) return []
  return isLink(dir) ? ['--symlink', readlinkSync(dir), dir] : ['--ro-bind', dir, dir]
}

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

const writable = (dir: string): string[] => [
  ...['--perms', '1777', '--size', String(scratchBytes), '--tmpfs', dir],
]

const empty = (dir: string): string[] => ['--perms', '0555', '--tmpfs', dir, '--remount-ro', dir]

async function works([program = '', ...args]: string[], inputs: Buffer[]): Promise<boolean> {
  const stdio = ['ignore', 'ignore', 'ignore', ...inputs.map(() => 'pipe' as const)] as const
  const child = spawn(program, args, { env: {}, timeout: 10_000, stdio: [...stdio] })
  giveInputs(child.stdio.slice(firstInputFd) as Writable[], inputs)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    return code === 0
  } catch {
    return false // It cannot be started at all.
  }
}

/** Writes what a walled command reads from its file descriptors. */
export function giveInputs(streams: readonly Writable[], inputs: readonly Buffer[]): void {
  // A command that ended before it read has an exit code that tells more than the broken pipe does.
  for (const [i, stream] of streams.entries()) stream.on('error', () => undefined).end(inputs[i])
}
