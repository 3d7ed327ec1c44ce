// Enforces the memory limit of a whole app if there are no cgroups: adds up the memory of all its processes at intervals.
// A cgroup is stricter, since it checks every allocation.
import { readFileSync } from 'node:fs'
import type { RunningTree } from './process-tree.ts'

const sampleEveryMs = 500

/** Calls `onExceeded` once, when the processes of the app use more than `memoryBytes` together. */
export function watchMemory(child: RunningTree, memoryBytes: number, onExceeded: () => void): void {
  const timer = setInterval(() => {
    if (child.pids.reduce((sum, pid) => sum + ownMemoryOf(pid), 0) <= memoryBytes) return
    clearInterval(timer)
    onExceeded()
  }, sampleEveryMs)
  timer.unref()
  child.ended.then(() => clearInterval(timer))
}

/** The memory that the process does not share with others: its anonymous pages, including those in swap. */
export function ownMemoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const kilobytes = [/^RssAnon:\s+(\d+) kB$/m, /^VmSwap:\s+(\d+) kB$/m].map(line => line.exec(status)?.[1])
    return kilobytes.reduce((sum, value) => sum + Number(value ?? 0), 0) * 1024
  } catch {
    return 0 // The process has ended.
  }
}
