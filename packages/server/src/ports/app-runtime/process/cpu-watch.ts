// Without cgroups nothing limits the CPU time of an app as a whole. An app that keeps using more than it may is therefore
// put behind all others: it gets what nobody else wants, until it is started again.
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { cpuTicksOf, type RunningTree, ticksPerSecond } from './process-tree.ts'

const lookEveryMs = 1_000
/** Looks in a row that must find too much: a start or a large page is no abuse. */
const patience = 10

/** `cpus` is the number of cores that the app may use. */
export function watchCpu(child: RunningTree, cpus: number): void {
  let before: number | undefined
  let exceeded = 0
  const timer = setInterval(() => {
    const { pids } = child
    const used = pids.reduce((sum, pid) => sum + cpuTicksOf(pid).withChildren, 0)
    const allowed = (cpus * ticksPerSecond * lookEveryMs) / 1_000
    exceeded = before !== undefined && used - before > allowed ? exceeded + 1 : 0
    before = used
    // Whatever it started meanwhile is put back at the next look.
    if (exceeded >= patience) for (const pid of pids) putBehind(pid)
  }, lookEveryMs)
  timer.unref()
  child.ended.then(() => clearInterval(timer))
}

/** Linux keeps a priority for each thread. */
function putBehind(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      setPriority(Number(thread), constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended.
  }
}
