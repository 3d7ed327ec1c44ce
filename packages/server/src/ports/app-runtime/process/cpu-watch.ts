// Without cgroups nothing limits the CPU time of a whole app. Therefore an app that keeps using more than its limit gets the
// lowest priority until its next start.
import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { cpuTicksOf, type RunningTree, ticksPerSecond } from './process-tree.ts'

const sampleEveryMs = 1_000
/** So many samples in a row must be over the limit, so that a start or a single slow page has no effect. */
const samplesOverLimit = 10

/** `cpus` is the number of cores that the app may use. */
export function watchCpu(child: RunningTree, cpus: number): void {
  let before: number | undefined
  let exceeded = 0
  const timer = setInterval(() => {
    const { pids } = child
    const used = pids.reduce((sum, pid) => sum + cpuTicksOf(pid).withChildren, 0)
    const allowed = (cpus * ticksPerSecond * sampleEveryMs) / 1_000
    exceeded = before !== undefined && used - before > allowed ? exceeded + 1 : 0
    before = used
    // Processes that the app starts later get the lowest priority at the next sample.
    if (exceeded >= samplesOverLimit) for (const pid of pids) setLowestPriority(pid)
  }, sampleEveryMs)
  timer.unref()
  child.ended.then(() => clearInterval(timer))
}

/** Sets the priority of every thread, since Linux keeps one for each. */
function setLowestPriority(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      setPriority(Number(thread), constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended.
  }
}
