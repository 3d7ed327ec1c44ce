// What a process and its descendants use.
import type { AppUsage } from '../port.ts'
import { ownMemoryOf } from './memory-watch.ts'
import { cpuTicksOf, ticksPerSecond } from './process-tree.ts'

export function usageOf(pids: readonly number[]): AppUsage {
  const sum = (of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0)
  return {
    memoryBytes: sum(ownMemoryOf),
    cpuSeconds: sum(pid => cpuTicksOf(pid).withChildren) / ticksPerSecond,
  }
}
