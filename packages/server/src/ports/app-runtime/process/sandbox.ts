// The sandbox of apps and builds: the bubblewrap command line around a command. Inside, the command sees its own files and the
// system's programs and libraries. It sees no files of the platform and no other processes.
import { once } from 'node:events'
import { existsSync, readlinkSync, realpathSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { startProgram } from '../../../lib/start-program.ts'
import type { SharedSockets } from '../port.ts'
import { programAt } from '../programs.ts'
import { projectUser } from '../project-user.ts'
import { askedNodeAt, isLink, nodeAt } from './node-inside.ts'
import type { NodeInstall } from './node-installs.ts'
import { seccompFilter } from './seccomp/filter.ts'

/** Where a sandboxed command finds its files. */
export const insideDir = '/app'
/** The home directory of a command that has one of its own. */
export const insideHomeDir = '/home'

export interface Sandbox {
  /** A description for the operator. */
  description: string
  /** Whether processes of other projects and of the system never run as the user that the command has inside. */
  hasOwnUser: boolean
  /** The user that the command runs as, for its files. `undefined` if it runs as svcd's user. */
  userOf(owner: string): number | undefined
  /** The command line that runs `command` inside the sandbox. */
  around(inside: Inside): string[]
  /** The data that this command line reads from file descriptor 3, 4 and so on. */
  inputs(inside: Inside): Buffer[]
}

export interface Inside {
  /** A project id. If svcd runs as root, each owner has a user of its own. */
  owner: string
  filesDir: string
  /** Whether the command may change its files. */
  filesAreWritable?: boolean
  scratchDirs: readonly string[]
  /** A directory that the command may write to. It is the command's home directory. */
  homeDir?: string
  /** A directory that the command may write to, and where the command finds it. */
  disk?: { dir: string; path: string } | undefined
  /** Directories with sockets that the command may connect to. */
  sockets?: readonly SharedSockets[]
  command: readonly string[]
  /** The Node that the command gets. `undefined`: svcd's own. */
  node?: NodeInstall | undefined
  /** The resolver configuration. Empty if the command cannot reach any resolver. */
  resolvConf: string
  /** The platform's directories. They are hidden if they are below /usr, which the command sees. */
  hidden: readonly string[]
  /** Whether bubblewrap makes a network namespace. By default the caller has made one. */
  ownNetwork?: boolean
}

const bwrap = programAt('bwrap')
const setpriv = programAt('setpriv')
const scratchBytes = 256 * 1024 * 1024
const isRoot = process.getuid?.() === 0
/** The user id of the command inside its user namespace. */
const plainUser = '1000'
const firstInputFd = 3

/** Files that programs read to resolve host names, verify certificates and tell the time. They hold no keys or accounts. */
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

/** Directories below /usr where operators keep settings, sources and data. */
const hiddenDirs = ['/usr/etc', '/usr/local/etc', '/usr/local/src', '/usr/local/var', '/usr/src', '/usr/var']

/** Files in /proc about the whole machine and its kernel. Container engines hide the same files. */
const hiddenProcFiles = [
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/timer_list',
]

let found: Sandbox | undefined
/** What bubblewrap said when it could not start. */
let complaint = ''

/**
 * Returns the first kind of sandbox that works. `undefined` if bubblewrap is missing or the system blocks it. Apps and builds
 * both need it, and try it once.
 */
export async function findSandbox(): Promise<Sandbox | undefined> {
  found ??= await firstThatWorks()
  return found
}

async function firstThatWorks(): Promise<Sandbox | undefined> {
  if (!bwrap || !programAt('nsenter')) return undefined
  const nothing = { owner: '', filesDir: '/usr', scratchDirs: [], resolvConf: '', hidden: [] }
  const inside = { ...nothing, command: ['true'] }
  for (const sandbox of isRoot && setpriv ? [projectUserSandbox, plainSandbox] : [plainSandbox]) {
    if (await works(sandbox.around({ ...inside, ownNetwork: true }), sandbox.inputs(inside))) return sandbox
  }
  return undefined
}

/** Tells the operator how to get a sandbox if there is none. Call it after `findSandbox`. */
export function sandboxAdvice(): string {
  if (!bwrap) return 'install bubblewrap (Debian: apt-get install bubblewrap)'
  if (!programAt('nsenter')) return 'install nsenter (Debian: apt-get install util-linux)'
  const said = complaint === '' ? '' : ` (it says: ${complaint})`
  return `repair bubblewrap, which is installed but cannot start${said}: allow user namespaces (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or in a container grant CAP_SYS_ADMIN`
}

/** Small files that svcd makes for each app. bubblewrap reads their contents from file descriptors. */
const madeFiles = ['/etc/resolv.conf', '/etc/passwd', '/etc/group']

/** `user` is named in /etc/passwd: without an entry there, Node's os.userInfo() throws. */
const inputsFor = ({ resolvConf }: Inside, user: number): Buffer[] => [
  seccompFilter(),
  ...[resolvConf, `app:x:${user}:${user}::/tmp:/bin/sh\n`, `app:x:${user}:\n`].map(text => Buffer.from(text)),
]

const plainSandbox: Sandbox = {
  description: 'bubblewrap',
  // Without root the command runs in a user namespace, which counts its own processes.
  hasOwnUser: !isRoot,
  userOf: () => undefined,
  around: inside => [
    ...mounts(inside),
    // This user namespace is nested in the one that owns the network namespace, so the command cannot change the network.
    ...(isRoot ? [] : ['--unshare-user', '--uid', plainUser, '--gid', plainUser]),
    ...['--cap-drop', 'ALL', ...inside.command],
  ],
  inputs: inside => inputsFor(inside, isRoot ? 0 : Number(plainUser)),
}

/** If svcd is root, every project gets a user of its own, so that apps cannot touch each other's sockets and limits. */
const projectUserSandbox: Sandbox = {
  description: 'bubblewrap, a user for each project',
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
  const { filesDir, filesAreWritable, scratchDirs, homeDir, disk, hidden, sockets = [] } = inside
  return [
    ...bareSandbox(inside.node),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(inside.ownNetwork ? ['--unshare-net'] : []),
    ...['--seccomp', String(firstInputFd)],
    ...madeFiles.flatMap((file, i) => [
      ...['--perms', '0444', '--ro-bind-data', String(firstInputFd + 1 + i), file],
    ]),
    ...hiddenProcFiles.filter(existsSync).flatMap(file => ['--ro-bind', '/dev/null', file]),
    ...['/dev/shm', '/tmp'].flatMap(writable),
    ...[filesAreWritable ? '--bind' : '--ro-bind', filesDir, insideDir],
    ...(homeDir === undefined ? [] : ['--bind', homeDir, insideHomeDir]),
    ...scratchDirs.flatMap(dir => writable(`${insideDir}/${dir}`)),
    ...(disk ? [...parentsOf(disk.path), '--bind', disk.dir, disk.path] : []),
    ...sockets.flatMap(({ dir, at }) => [...parentsOf(at), '--ro-bind', dir, at]),
    ...hidden.filter(dir => dir.startsWith('/usr/') && existsSync(dir)).flatMap(empty),
    // The app may own /dev and /, and nothing limits their size, so it must not write to them.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', insideDir],
  ]
}

/**
 * Without root, bubblewrap refuses to start if it has capabilities. A unit of systemd with AmbientCapabilities, for the ports 80
 * and 443, passes them to every program that svcd starts.
 */
const withoutCapabilities = !isRoot && setpriv ? [setpriv, '--ambient-caps=-all', '--inh-caps=-all'] : []

/** A bubblewrap command line that shows only the system's programs and libraries, /proc and /dev. The caller adds options. */
export function bareSandbox(node?: NodeInstall): string[] {
  return [
    ...[...systemSandbox(), '--die-with-parent'],
    ...(node ? askedNodeAt(node) : nodeAt(realpathSync(process.execPath))),
    ...['--proc', '/proc', '--dev', '/dev'],
  ]
}

/** A bubblewrap command line that shows only the system's programs and libraries. What it runs may outlive svcd. */
export function systemSandbox(): string[] {
  return [
    ...[...withoutCapabilities, bwrap ?? '', '--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(shown),
    ...['/etc', '/etc/ssl'].flatMap(dir => ['--perms', '0755', '--dir', dir]),
    ...systemFiles.flatMap(file => ['--ro-bind-try', file, file]),
    ...hiddenDirs.filter(existsSync).flatMap(empty),
  ]
}

/** Options that make the directories above a path. Those that bubblewrap makes by itself are closed to other users. */
export function parentsOf(file: string): string[] {
  const names = file.split('/').slice(1, -1)
  return names.flatMap((_, i) => ['--perms', '0755', '--dir', `/${names.slice(0, i + 1).join('/')}`])
}

/** Options that show a directory of the system. On most systems it is a symbolic link into /usr. */
function shown(dir: string): string[] {
  if (!existsSync(dir)) return []
  return isLink(dir) ? ['--symlink', readlinkSync(dir), dir] : ['--ro-bind', dir, dir]
}

const writable = (dir: string): string[] => [
  ...['--perms', '1777', '--size', String(scratchBytes), '--tmpfs', dir],
]

const empty = (dir: string): string[] => ['--perms', '0555', '--tmpfs', dir, '--remount-ro', dir]

async function works([program = '', ...args]: string[], inputs: Buffer[]): Promise<boolean> {
  const stdio = ['ignore', 'ignore', 'pipe', ...inputs.map(() => 'pipe' as const)] as const
  const child = startProgram(program, args, { env: {}, timeout: 10_000, stdio: [...stdio] })
  giveInputs(child.stdio.slice(firstInputFd) as Writable[], inputs)
  let said = ''
  child.stderr?.on('data', chunk => (said = `${said}${chunk}`.slice(0, 500)))
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) complaint = said.trim()
    return code === 0
  } catch (error) {
    complaint = (error as Error).message
    return false
  }
}

/** Writes the data that a sandboxed command reads from its file descriptors. */
export function giveInputs(streams: readonly Writable[], inputs: readonly Buffer[]): void {
  for (const [i, stream] of streams.entries()) stream.end(inputs[i])
}
