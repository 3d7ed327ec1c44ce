// Chooses how many edge workers run where `SVCD_EDGE_WORKERS` is `auto`.
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'

interface MachineSize {
  cores: number
  memoryBytes: number
}

const GB = 1024 ** 3
/** On fewer cores one process serves everything: builds, apps and the main process need the others. */
const fewestCores = 4
/** A worker keeps hot files and cached answers in memory of its own. */
const memoryPerWorker = 1 * GB
const mostWorkers = 16

/** Leaves one core to the main process. A single worker would bring nothing. */
export function workersFor({ cores, memoryBytes }: MachineSize): number {
  if (cores < fewestCores) return 0
  const count = Math.min(cores - 1, Math.floor(memoryBytes / memoryPerWorker), mostWorkers)
  return count < 2 ? 0 : count
}

/** What this process may use: the machine, or the limits of its control group. */
export function availableMachine(): MachineSize {
  // 0 or a number beyond the machine's memory if there is no limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return { cores: availableCores(), memoryBytes: Math.min(totalmem(), limit) }
}

function availableCores(): number {
  return Math.min(availableParallelism(), coresOf(readIfThere('/sys/fs/cgroup/cpu.max')))
}

/** Reads the quota of a control group: microseconds of processor time in a period, or `max`. */
export function coresOf(cpuMax: string): number {
  const [quota, period] = cpuMax.trim().split(' ').map(Number)
  return quota && period ? Math.max(1, Math.floor(quota / period)) : Number.POSITIVE_INFINITY
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Not every system has control groups, and the file is missing in the root group.
    return ''
  }
}
