// Without cgroups nothing limits the CPU time of an app as a whole. An app that keeps using more than it may is therefore
// put behind all others: it gets what nobody else wants, until it is started again.
import { readdirSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Child } from './child.ts'

const lookEveryMs = 1_000
/** Looks in a row that must find too much: a start or a large page is no abuse. */
const patience = 10
/** The unit of times in /proc; the same on every architecture. */
const ticksPerSecond = 100

/** `cpus` is the number of cores that the app may use. */
export function watchCpu(child: Child, cpus: number): void {
  let before: number | undefined
  let exceeded = 0
  const timer = setInterval(() => {
    const { pids } = child
    const used = pids.reduce((sum, pid) => sum + ticksOf(pid), 0)
    const allowed = (cpus * ticksPerSecond * lookEveryMs) / 1_000
    exceeded = before !== undefined && used - before > allowed ? exceeded + 1 : 0
    before = used
    // Whatever it started meanwhile is put back at the next look.
    if (exceeded >= patience) for (const pid of pids) putBehind(pid)
  }, lookEveryMs)
  timer.unref()
  child.ended.then(() => clearInterval(timer))
}

function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    // Its own time, and that of its children which have ended, as user and in the kernel.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
  } catch {
    return 0 // It has ended.
  }
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
