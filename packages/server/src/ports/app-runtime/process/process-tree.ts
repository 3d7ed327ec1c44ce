// What /proc tells of processes: who descends from whom, who carries a mark, and who listens on which port.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process with its descendants, as the watches of CPU and memory see it. */
export interface RunningTree {
  readonly pids: number[]
  readonly ended: Promise<unknown>
}

/** The process and all that descend from it, parents before their children. */
export function treeOf(root: number): number[] {
  const tree = [root]
  for (const pid of tree) tree.push(...childrenOf(pid))
  return tree
}

/** Its parent, that one's parent, and so on. */
export function ancestorsOf(pid: number): number[] {
  // What follows the name, which may hold anything: the state, then the parent.
  const [, parent] = /^.*\) \S+ (\d+)/s.exec(read(`/proc/${pid}/stat`) ?? '') ?? []
  return Number(parent) > 0 ? [Number(parent), ...ancestorsOf(Number(parent))] : []
}

/** The unit of CPU times in /proc; the same on every architecture. */
export const ticksPerSecond = 100

/** CPU time, as user and in the kernel; `withChildren` adds that of its children that have ended. 0 for an ended process. */
export function cpuTicksOf(pid: number): { own: number; withChildren: number } {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  // The name of the program, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15).map(Number)
  return { own: user + system, withChildren: user + system + childrenUser + childrenSystem }
}

/** For good. */
export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Processes that were started with the variables of `marks`, and what another variable of theirs holds. */
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

/** Of every TCP socket that listens where the process is: its port, by its inode. */
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

/** Any of its threads may have started one. */
export function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`).flatMap(thread =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

// A process may end while it is looked at, and some are not ours to look at: then there is nothing to see.

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
