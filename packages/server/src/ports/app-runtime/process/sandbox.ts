// The walls around an app, as an argv: bubblewrap shows it its own files, the system's programs and libraries, and
// nothing of the platform or of other processes.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/** Where an app finds its files. */
export const insideDir = '/app'

export interface Wall {
  /** In words for the operator. */
  words: string
  /** Whether nobody else's processes have the user that the app has behind it. */
  hasOwnUser: boolean
  /** The command that runs `command` behind the wall. */
  around(inside: Inside): string[]
}

export interface Inside {
  projectId: string
  filesDir: string
  scratchDirs: readonly string[]
  command: readonly string[]
}

const bwrap = programAt('bwrap')
const setpriv = programAt('setpriv')
const scratchBytes = String(256 * 1024 * 1024)

/** What programs read to find names, certificates and the time. No keys and no accounts are among them. */
const systemFiles = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/protocols',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
]

/** Undefined where bubblewrap is missing, or the system does not let it do its work. */
export async function findWall(): Promise<Wall | undefined> {
  if (!bwrap) return undefined
  for (const wall of setpriv ? [ownUserWall, plainWall] : [plainWall])
    if (await works(wall.around({ projectId: '', filesDir: '/usr', scratchDirs: [], command: ['true'] })))
      return wall
  return undefined
}

/** For the operator, where there is none. */
export const wallAdvice = bwrap
  ? 'let bubblewrap, which is installed, do its work: allow user namespaces (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or in a container grant CAP_SYS_ADMIN'
  : 'install bubblewrap (Debian: apt-get install bubblewrap)'

const plainWall: Wall = {
  words: 'bubblewrap',
  // Unless it is root's, the wall is a user namespace, which counts its processes by itself.
  hasOwnUser: process.getuid?.() !== 0,
  around: inside => [...mounts(inside), '--cap-drop', 'ALL', ...inside.command],
}

/** As root every project gets a user of its own, so that apps cannot touch each other's sockets and limits. */
const ownUserWall: Wall = {
  words: 'bubblewrap, a user for each project',
  hasOwnUser: true,
  around(inside) {
    const user = String(userOf(inside.projectId))
    const capabilities = ['SETUID', 'SETGID', 'SETPCAP'].flatMap(name => ['--cap-add', `CAP_${name}`])
    const drop = ['--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs']
    return [
      ...mounts(inside),
      ...['--cap-drop', 'ALL', ...capabilities],
      ...[setpriv ?? '', '--reuid', user, '--regid', user, ...drop, ...inside.command],
    ]
  },
}

function mounts({ filesDir, scratchDirs }: Inside): string[] {
  return [
    bwrap ?? '',
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(shown),
    ...['/etc', '/etc/ssl'].flatMap(dir => ['--perms', '0755', '--dir', dir]),
    ...systemFiles.flatMap(file => ['--ro-bind-try', file, file]),
    ...nodeAt(realpathSync(process.execPath)),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['/dev/shm', '/tmp'].flatMap(writable),
    ...['--ro-bind', filesDir, insideDir],
    ...scratchDirs.flatMap(dir => writable(`${insideDir}/${dir}`)),
    // Where the app is the owner of the root, its size would be bounded by nothing.
    ...['--remount-ro', '/', '--chdir', insideDir],
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

const writable = (dir: string): string[] => ['--perms', '1777', '--size', scratchBytes, '--tmpfs', dir]

/** Far from the users of the system; the same for a project at each start. */
function userOf(projectId: string): number {
  return 200_000 + (createHash('sha256').update(projectId).digest().readUInt32LE() % 1_000_000)
}

/** Only from directories that belong to the system. */
export function programAt(name: string): string | undefined {
  return ['/usr/bin', '/usr/local/bin', '/bin'].map(dir => `${dir}/${name}`).find(file => existsSync(file))
}

async function works([program = '', ...args]: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(program, args, { env: {}, timeout: 10_000 })
    return true
  } catch {
    return false // The system forbids it; the caller tries a lower wall, or says that there is none.
  }
}
