// Limits of memory, processes and CPU by cgroups, in the version that the system has, where this program may make some.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AppLimits } from '../port.ts'
import { Cage, removeEmpty } from './cage.ts'
import { ancestorsOf } from './process-tree.ts'

const cpuPeriod = 100_000

export interface Cgroups {
  make(instanceId: string, limits: AppLimits): Cage
  /** The cages there are. A program that starts finds here what its predecessor left. */
  cages(): Cage[]
  /**
   * Idle cages get only the CPU time that no other cgroup wants; else they have their weight. Linux has this since 5.15.
   * Before, cages always have their weight.
   */
  setIdle(isIdle: boolean): void
  /** What it made is removed, as far as it is empty. */
  close(): void
}

/** The share of the CPU that all cages of a node have together while others want it too, beside the usual 100. */
const usualWeight = 100
/** What version 1 calls the usual weight. */
const usualShares = 1024

/** `undefined` if limits cannot be had in this way. */
export function findCgroups(
  nodeId: string,
  { root = '/sys/fs/cgroup', cpuWeight = usualWeight } = {},
): Cgroups | undefined {
  const places = [
    () => versionTwo(nodeId, delegated(root), cpuWeight),
    // For root outside of a unit that was delegated to it, as container engines do it.
    () => versionTwo(nodeId, root, cpuWeight),
    () => versionOne(nodeId, root, cpuWeight),
  ]
  for (const place of places)
    try {
      return place()
    } catch {
      // Not there, or not ours to change.
    }
  return undefined
}

/** The cgroup that this program was started in, such as that of a systemd unit with `Delegate=yes`. */
function delegated(root: string): string {
  return path.join(root, ownPath('')).replace(/\/svcd$/, '')
}

/** One tree for all controllers. */
function versionTwo(nodeId: string, parent: string, cpuWeight: number): Cgroups {
  // All but the root of all: what has processes of its own cannot have others below it that are limited.
  if (existsSync(path.join(parent, 'cgroup.type'))) moveDown(parent)
  write(parent, 'cgroup.subtree_control', '+memory +pids +cpu')
  const apps = path.join(parent, `svc-apps-${nodeId}`)
  probe(apps)
  const cageOf = (id: string) => new Cage(id, [path.join(apps, id)], path.join(apps, id, 'memory.events'))
  const share = new CpuShare(apps, ['cpu.weight', cpuWeight])
  return {
    make(instanceId, limits) {
      const dir = path.join(apps, instanceId)
      mkdirSync(apps, { recursive: true })
      write(apps, 'cgroup.subtree_control', '+memory +pids +cpu')
      share.apply()
      mkdirSync(dir, { recursive: true })
      write(dir, 'memory.max', limits.memoryBytes)
      if (existsSync(path.join(dir, 'memory.swap.max'))) write(dir, 'memory.swap.max', 0)
      write(dir, 'pids.max', limits.pids)
      write(dir, 'cpu.max', `${Math.round(limits.cpus * cpuPeriod)} ${cpuPeriod}`)
      return cageOf(instanceId)
    },
    cages: () => instancesIn([apps]).map(cageOf),
    setIdle: isIdle => share.set(isIdle),
    close: () => removeEmpty(apps),
  }
}

/** This program and those that started it, such as npm, as far as they are there; but nobody's login session. */
function moveDown(parent: string): void {
  const there = new Set(readFileSync(path.join(parent, 'cgroup.procs'), 'utf8').split('\n'))
  const ours = path.join(parent, 'svcd')
  mkdirSync(ours, { recursive: true })
  const starters = parent.endsWith('.scope') ? [] : ancestorsOf(process.pid)
  for (const pid of [process.pid, ...starters]) if (there.has(String(pid))) write(ours, 'cgroup.procs', pid)
}

/** A tree for each controller. */
function versionOne(nodeId: string, root: string, cpuWeight: number): Cgroups {
  const treeOf = (controller: string) => {
    const own = path.join(root, controller, ownPath(controller))
    const apps = path.join(existsSync(own) ? own : path.join(root, controller), `svc-apps-${nodeId}`)
    probe(apps)
    return apps
  }
  const [memory, pids, cpu] = [treeOf('memory'), treeOf('pids'), treeOf('cpu')]
  const trees = [memory, pids, cpu]
  const cageOf = (id: string) => {
    const dirs = trees.map(apps => path.join(apps, id))
    return new Cage(id, dirs, path.join(memory, id, 'memory.oom_control'))
  }
  const share = new CpuShare(cpu, ['cpu.shares', Math.round((cpuWeight * usualShares) / usualWeight)])
  return {
    make(instanceId, limits) {
      const dirOf = (tree: string) => path.join(tree, instanceId)
      for (const tree of trees) mkdirSync(dirOf(tree), { recursive: true })
      share.apply()
      write(dirOf(memory), 'memory.limit_in_bytes', limits.memoryBytes)
      if (existsSync(path.join(dirOf(memory), 'memory.memsw.limit_in_bytes')))
        write(dirOf(memory), 'memory.memsw.limit_in_bytes', limits.memoryBytes)
      write(dirOf(pids), 'pids.max', limits.pids)
      write(dirOf(cpu), 'cpu.cfs_period_us', cpuPeriod)
      write(dirOf(cpu), 'cpu.cfs_quota_us', Math.round(limits.cpus * cpuPeriod))
      return cageOf(instanceId)
    },
    cages: () => instancesIn(trees).map(cageOf),
    setIdle: isIdle => share.set(isIdle),
    close: () => trees.forEach(removeEmpty),
  }
}

/** The CPU time that all cages of a node get together while others want it too. */
class CpuShare {
  readonly #dir: string
  readonly #weight: readonly [file: string, value: number]
  #isIdle = false

  constructor(dir: string, weight: readonly [file: string, value: number]) {
    this.#dir = dir
    this.#weight = weight
  }

  set(isIdle: boolean): void {
    this.#isIdle = isIdle
    try {
      if (existsSync(this.#dir)) this.apply()
    } catch {
      // The operator changed the cgroup meanwhile. The next cage that is made sets its share again, or says why it cannot.
    }
  }

  /** The kernel refuses a weight for an idle cgroup, and resets the weight when a cgroup stops being idle. */
  apply(): void {
    const canBeIdle = existsSync(path.join(this.#dir, 'cpu.idle'))
    if (canBeIdle) write(this.#dir, 'cpu.idle', this.#isIdle ? 1 : 0)
    if (!canBeIdle || !this.#isIdle) write(this.#dir, ...this.#weight)
  }
}

/** Throws if none can be made. */
function probe(dir: string): void {
  mkdirSync(dir, { recursive: true })
  removeEmpty(dir)
}

function instancesIn(trees: readonly string[]): string[] {
  const folders = trees.filter(existsSync).flatMap(apps => readdirSync(apps, { withFileTypes: true }))
  return [...new Set(folders.filter(entry => entry.isDirectory()).map(entry => entry.name))]
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

/** Only to a file that is there: elsewhere than among cgroups it would be made. */
const write = (dir: string, file: string, value: string | number): void =>
  writeFileSync(path.join(dir, file), String(value), { flag: 'r+' })
