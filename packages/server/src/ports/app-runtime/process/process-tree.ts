// Reads /proc: the descendants of a process, processes with given environment variables, and ports on which processes listen.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process with its descendants, for `watchCpu` and `watchMemory`. */
export interface RunningTree {
  readonly pids: number[]
  readonly ended: Promise<unknown>
}

/** The process and all its descendants, parents before their children. */
export function treeOf(root: number): number[] {
  const tree = [root]
  for (const pid of tree) tree.push(...childrenOf(pid))
  return tree
}

/** The parent of the process, the parent of the parent, and so on. */
export function ancestorsOf(pid: number): number[] {
  // The program's name, in parentheses, may contain any character. After the last `)` come the state and the parent.
  const [, parent] = /^.*\) \S+ (\d+)/s.exec(read(`/proc/${pid}/stat`) ?? '') ?? []
  return Number(parent) > 0 ? [Number(parent), ...ancestorsOf(Number(parent))] : []
}

/** The unit of CPU times in /proc; the same on every architecture. */
export const ticksPerSecond = 100

/**
 * The CPU time of the process, in user mode and in the kernel. `withChildren` adds the time of its ended children. Both are 0
 * if the process has ended.
 */
export function cpuTicksOf(pid: number): { own: number; withChildren: number } {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  // The program's name, in parentheses, may contain any character.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15).map(Number)
  return { own: user + system, withChildren: user + system + childrenUser + childrenSystem }
}

/** Sends SIGKILL. A negative number is a process group. */
export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

/** Processes that were started with the environment variables `marks`, each with the value of its variable `also`. */
export function markedWith(marks: Record<string, string>, also: string): { pid: number; value: string }[] {
  const wanted = Object.entries(marks).map(([name, value]) => `${name}=${value}`)
  const found: { pid: number; value: string }[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const variables = read(`/proc/${pid}/environ`)?.split('\0') ?? []
    if (!wanted.every(mark => variables.includes(mark))) continue
    const other = variables.find(variable => variable.startsWith(`${also}=`))
    found.push({ pid, value: other?.slice(also.length + 1) ?? '' })
  }
  return found
}

/** The ports on which the processes listen. */
export function portsOf(pids: readonly number[]): Set<number> {
  const sockets = listeningSockets()
  const ports = new Set<number>()
  for (const pid of pids)
    for (const inode of socketsOf(pid)) {
      const port = sockets.get(inode)
      if (port !== undefined) ports.add(port)
    }
  return ports
}

/** The ports on which anything listens in the network namespace of the process. */
export const listeningIn = (pid: number): number[] => [...new Set(listeningSockets(String(pid)).values())]

/** The ports of all listening TCP sockets in the network namespace of the process, by the inode of the socket. */
function listeningSockets(pid = 'self'): Map<string, number> {
  const sockets = new Map<string, number>()
  for (const table of ['tcp', 'tcp6'])
    for (const line of (read(`/proc/${pid}/net/${table}`) ?? '').split('\n').slice(1)) {
      const [, address = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state === '0A' && inode) sockets.set(inode, Number.parseInt(address.split(':')[1] ?? '', 16))
    }
  return sockets
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return list(folder).flatMap(fd => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1] ?? [])
}

/** The children that any thread of the process has started. */
export function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`).flatMap(thread =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

// A process may end while svcd reads its files, and svcd may not read the files of some. Both give empty results.

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
