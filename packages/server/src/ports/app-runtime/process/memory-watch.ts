// Holds an app as a whole to its memory where there are no cgroups: it looks at all its processes now and then and ends
// the app when they use too much together. A cgroup is stricter; this keeps many small processes from adding up.
import { readFileSync } from 'node:fs'
import type { RunningTree } from './process-tree.ts'

const lookEveryMs = 500

/** Calls `onExceeded` once, when the processes of the app use more than `memoryBytes` together. */
export function watchMemory(child: RunningTree, memoryBytes: number, onExceeded: () => void): void {
  const timer = setInterval(() => {
    if (child.pids.reduce((sum, pid) => sum + ownMemoryOf(pid), 0) <= memoryBytes) return
    clearInterval(timer)
    onExceeded()
  }, lookEveryMs)
  timer.unref()
  child.ended.then(() => clearInterval(timer))
}

/** What the process does not share with others: its anonymous pages, also those that were swapped out. */
function ownMemoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const kilobytes = [/^RssAnon:\s+(\d+) kB$/m, /^VmSwap:\s+(\d+) kB$/m].map(line => line.exec(status)?.[1])
    return kilobytes.reduce((sum, value) => sum + Number(value ?? 0), 0) * 1024
  } catch {
    return 0 // It has ended.
  }
}
