// Limits of memory, processes and CPU by cgroups, in the version that the system has, where this program may make some.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AppLimits } from '../port.ts'

const root = '/sys/fs/cgroup'
const cpuPeriod = 100_000

/** The cgroup of one instance. */
export interface Cage {
  /** Whoever writes its own pid to these is in. */
  readonly doors: readonly string[]
  readonly pids: number[]
  readonly sawOutOfMemory: boolean
  remove(): void
}

export interface Cgroups {
  make(instanceId: string, limits: AppLimits): Cage
  /** What it made is removed, as far as it is empty. */
  close(): void
}

/** Undefined where limits cannot be had in this way. */
export function findCgroups(nodeId: string): Cgroups | undefined {
  return tryToFind(() => versionTwo(nodeId)) ?? tryToFind(() => versionOne(nodeId))
}

function tryToFind(find: () => Cgroups | undefined): Cgroups | undefined {
  try {
    return find()
  } catch {
    return undefined // Not there, or not ours to change.
  }
}

/** One tree for all controllers. It must be delegated to this program, as by `Delegate=yes` in a systemd unit. */
function versionTwo(nodeId: string): Cgroups | undefined {
  if (!existsSync(path.join(root, 'cgroup.controllers'))) return undefined
  const own = path.join(root, ownPath('')).replace(/\/svcd$/, '')
  // A cgroup with processes of its own cannot have others below it that are limited, so this program moves down.
  const ours = path.join(own, 'svcd')
  mkdirSync(ours, { recursive: true })
  write(ours, 'cgroup.procs', process.pid)
  write(own, 'cgroup.subtree_control', '+memory +pids +cpu')
  const apps = path.join(own, `svc-apps-${nodeId}`)
  probe(apps)
  return {
    make(instanceId, limits) {
      const dir = path.join(apps, instanceId)
      mkdirSync(apps, { recursive: true })
      write(apps, 'cgroup.subtree_control', '+memory +pids +cpu')
      mkdirSync(dir)
      write(dir, 'memory.max', limits.memoryBytes)
      if (existsSync(path.join(dir, 'memory.swap.max'))) write(dir, 'memory.swap.max', 0)
      write(dir, 'pids.max', limits.pids)
      write(dir, 'cpu.max', `${Math.round(limits.cpus * cpuPeriod)} ${cpuPeriod}`)
      return cage([dir], path.join(dir, 'memory.events'))
    },
    close: () => removeEmpty(apps),
  }
}

/** A tree for each controller. */
function versionOne(nodeId: string): Cgroups | undefined {
  const trees = Object.fromEntries(
    ['memory', 'pids', 'cpu'].map(controller => {
      const own = path.join(root, controller, ownPath(controller))
      const apps = path.join(existsSync(own) ? own : path.join(root, controller), `svc-apps-${nodeId}`)
      probe(apps)
      return [controller, apps]
    }),
  ) as Record<'memory' | 'pids' | 'cpu', string>
  return {
    make(instanceId, limits) {
      const dirs = Object.fromEntries(
        Object.entries(trees).map(([controller, apps]) => {
          const dir = path.join(apps, instanceId)
          mkdirSync(dir, { recursive: true })
          return [controller, dir]
        }),
      ) as typeof trees
      write(dirs.memory, 'memory.limit_in_bytes', limits.memoryBytes)
      if (existsSync(path.join(dirs.memory, 'memory.memsw.limit_in_bytes')))
        write(dirs.memory, 'memory.memsw.limit_in_bytes', limits.memoryBytes)
      write(dirs.pids, 'pids.max', limits.pids)
      write(dirs.cpu, 'cpu.cfs_period_us', cpuPeriod)
      write(dirs.cpu, 'cpu.cfs_quota_us', Math.round(limits.cpus * cpuPeriod))
      return cage(Object.values(dirs), path.join(dirs.memory, 'memory.oom_control'))
    },
    close: () => Object.values(trees).forEach(removeEmpty),
  }
}

/** Throws where none can be made. */
function probe(dir: string): void {
  mkdirSync(dir, { recursive: true })
  removeEmpty(dir)
}

function cage(dirs: readonly string[], memoryEvents: string): Cage {
  const doors = dirs.map(dir => path.join(dir, 'cgroup.procs'))
  let sawOutOfMemory = false
  const look = () => {
    if (!existsSync(memoryEvents)) return sawOutOfMemory
    const [, kills = '0'] = /^oom_kill (\d+)$/m.exec(readFileSync(memoryEvents, 'utf8')) ?? []
    sawOutOfMemory ||= kills !== '0'
    return sawOutOfMemory
  }
  return {
    doors,
    get pids() {
      return readFileSync(doors[0] ?? '', 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(Number)
    },
    get sawOutOfMemory() {
      return look()
    },
    remove() {
      look()
      for (const dir of dirs) removeEmpty(dir)
    },
  }
}

function removeEmpty(dir: string): void {
  try {
    rmdirSync(dir)
  } catch {
    // Still in use, or gone already; an empty cgroup costs next to nothing.
  }
}

/** Of this program, below the mount of the controller. */
function ownPath(controller: string): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  for (const line of lines) {
    const [, controllers = '', ...rest] = line.split(':')
    if (controller === '' ? controllers === '' : controllers.split(',').includes(controller))
      return rest.join(':')
  }
  throw new Error(`there is no cgroup of the kind '${controller}'`)
}

const write = (dir: string, file: string, value: string | number): void =>
  writeFileSync(path.join(dir, file), String(value))
