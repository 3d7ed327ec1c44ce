// Limits memory, processes and CPU with cgroups: version 2, or version 1 on older systems. It works only if svcd may make
// cgroups.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AppLimits } from '../port.ts'
import { Cgroup, removeEmpty } from './cgroup.ts'
import { ancestorsOf } from './process-tree.ts'

const cpuPeriod = 100_000

export interface Cgroups {
  make(instanceId: string, limits: AppLimits): Cgroup
  /** All cgroups of this node, also those that an earlier svcd left behind. */
  list(): Cgroup[]
  /**
   * Idle cgroups get only the CPU time that no other cgroup wants. Cgroups that are not idle get CPU time by their weight, or
   * by so many times their weight. Before Linux 5.15 no cgroup can be idle.
   */
  setIdle(isIdle: boolean, times?: number): void
  /** Removes the parent cgroup of the instances if it is empty. */
  close(): void
}

/** The default CPU weight. All cgroups of a node together have one weight while other programs want CPU time too. */
const usualWeight = 100
/** The default weight in version 1, in its own unit. */
const usualShares = 1024

/** `undefined` if svcd may not make cgroups here. */
export function findCgroups(
  nodeId: string,
  { root = '/sys/fs/cgroup', cpuWeight = usualWeight } = {},
): Cgroups | undefined {
  const candidates = [
    () => versionTwo(nodeId, delegated(root), cpuWeight),
    // As root without a delegated unit, use the root of the hierarchy, as container engines do.
    () => versionTwo(nodeId, root, cpuWeight),
    () => versionOne(nodeId, root, cpuWeight),
  ]
  for (const open of candidates)
    try {
      return open()
    } catch {
      // This hierarchy does not exist, or svcd may not change it.
    }
  return undefined
}

/** The cgroup in which svcd was started, such as the one of a systemd unit with `Delegate=yes`. */
function delegated(root: string): string {
  return path.join(root, ownPath('')).replace(/\/svcd$/, '')
}

/** Version 2 has one hierarchy for all controllers. */
function versionTwo(nodeId: string, parent: string, cpuWeight: number): Cgroups {
  // A cgroup that contains processes cannot limit cgroups below it, so svcd moves itself one level down. The root cgroup,
  // which has no file cgroup.type, is exempt from this rule.
  if (existsSync(path.join(parent, 'cgroup.type'))) moveDown(parent)
  write(parent, 'cgroup.subtree_control', '+memory +pids +cpu')
  const apps = path.join(parent, `svc-apps-${nodeId}`)
  probe(apps)
  const cgroupOf = (id: string) => new Cgroup(id, [path.join(apps, id)], path.join(apps, id, 'memory.events'))
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
      return cgroupOf(instanceId)
    },
    list: () => instancesIn([apps]).map(cgroupOf),
    setIdle: (isIdle, times) => share.set(isIdle, times),
    close: () => removeEmpty(apps),
  }
}

/** Moves svcd and the programs that started it, such as npm, into a cgroup of their own. Leaves login sessions alone. */
function moveDown(parent: string): void {
  const there = new Set(readFileSync(path.join(parent, 'cgroup.procs'), 'utf8').split('\n'))
  const ours = path.join(parent, 'svcd')
  mkdirSync(ours, { recursive: true })
  const starters = parent.endsWith('.scope') ? [] : ancestorsOf(process.pid)
  for (const pid of [process.pid, ...starters]) if (there.has(String(pid))) write(ours, 'cgroup.procs', pid)
}

/** Version 1 has one hierarchy for each controller. */
function versionOne(nodeId: string, root: string, cpuWeight: number): Cgroups {
  const treeOf = (controller: string) => {
    const own = path.join(root, controller, ownPath(controller))
    const apps = path.join(existsSync(own) ? own : path.join(root, controller), `svc-apps-${nodeId}`)
    probe(apps)
    return apps
  }
  const [memory, pids, cpu] = [treeOf('memory'), treeOf('pids'), treeOf('cpu')]
  const trees = [memory, pids, cpu]
  const cgroupOf = (id: string) => {
    const dirs = trees.map(apps => path.join(apps, id))
    return new Cgroup(id, dirs, path.join(memory, id, 'memory.oom_control'))
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
      return cgroupOf(instanceId)
    },
    list: () => instancesIn(trees).map(cgroupOf),
    setIdle: (isIdle, times) => share.set(isIdle, times),
    close: () => trees.forEach(removeEmpty),
  }
}

/** The CPU time that all cgroups of a node get together while other programs want CPU time too. */
class CpuShare {
  readonly #dir: string
  readonly #weight: readonly [file: string, value: number]
  #isIdle = false
  #times = 1

  constructor(dir: string, weight: readonly [file: string, value: number]) {
    this.#dir = dir
    this.#weight = weight
  }

  set(isIdle: boolean, times = 1): void {
    this.#isIdle = isIdle
    this.#times = times
    try {
      if (existsSync(this.#dir)) this.apply()
    } catch {
      // The operator changed the cgroup meanwhile. The next `make` applies the share again, or throws the reason.
    }
  }

  /** The kernel refuses a weight for an idle cgroup, and resets the weight when a cgroup stops being idle. */
  apply(): void {
    const canBeIdle = existsSync(path.join(this.#dir, 'cpu.idle'))
    if (canBeIdle) write(this.#dir, 'cpu.idle', this.#isIdle ? 1 : 0)
    const [file, weight] = this.#weight
    if (!canBeIdle || !this.#isIdle) write(this.#dir, file, weight * this.#times)
  }
}

/** Throws if svcd cannot make a cgroup at this path. */
function probe(dir: string): void {
  mkdirSync(dir, { recursive: true })
  removeEmpty(dir)
}

function instancesIn(trees: readonly string[]): string[] {
  const folders = trees.filter(existsSync).flatMap(apps => readdirSync(apps, { withFileTypes: true }))
  return [...new Set(folders.filter(entry => entry.isDirectory()).map(entry => entry.name))]
}

/** The path of svcd's own cgroup below the mount of the controller. */
function ownPath(controller: string): string {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  for (const line of lines) {
    const [, controllers = '', ...rest] = line.split(':')
    if (controller === '' ? controllers === '' : controllers.split(',').includes(controller))
      return rest.join(':')
  }
  throw new Error(`there is no cgroup of the kind '${controller}'`)
}

/** Writes to an existing file. The flag `r+` makes sure that no file is created if `dir` is not a cgroup. */
const write = (dir: string, file: string, value: string | number): void =>
  writeFileSync(path.join(dir, file), String(value), { flag: 'r+' })
