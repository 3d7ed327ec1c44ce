// Builds run at idle priority: they take only the CPU time that nobody else wants, so that visitors do not notice them. On a
// machine without spare CPU time such builds starve. Then they get an ordinary small share for a while: soon if svcd itself
// has little to do, and late if it is busy serving visitors.
import type { Cgroups } from './cgroups.ts'
import { childrenOf, cpuTicksOf, ticksPerSecond } from './process-tree.ts'

const sampleEveryMs = 1_000
const timeoutMs = { calm: 2_000, busy: 20_000 }
const reliefMs = 20_000
/** In cores. Builds that get less than this are starving; a server that uses less than this is calm. */
const starvingBelow = 0.1
const calmBelow = 0.25

interface Sample {
  /** In milliseconds. */
  at: number
  /** CPU time used so far by the running builds and by svcd with its edge workers, in ticks. */
  builds: number
  server: number
}

export interface Share {
  isIdle: boolean
  /** The sample at which this state began, or at which the idle builds last had enough CPU time. */
  since: Sample
}

export function nextShare(share: Share, sample: Sample): Share {
  const { isIdle, since } = share
  const elapsed = sample.at - since.at
  if (!isIdle) return elapsed < reliefMs ? share : { isIdle: true, since: sample }
  const cores = (ticks: number) => ticks / ticksPerSecond / (elapsed / 1_000)
  // The time of the builds falls when a process ends, and a process that ends was not starving.
  if (sample.builds < since.builds || cores(sample.builds - since.builds) >= starvingBelow)
    return { isIdle: true, since: sample }
  const isCalm = cores(sample.server - since.server) < calmBelow
  return elapsed < timeoutMs[isCalm ? 'calm' : 'busy'] ? share : { isIdle: false, since: sample }
}

/** Gives the builds of one node their share for as long as any of them runs. */
export class IdleShare {
  readonly #cgroups: Cgroups
  #running = 0
  #share: Share
  #timer: NodeJS.Timeout | undefined

  constructor(cgroups: Cgroups) {
    this.#cgroups = cgroups
    this.#share = { isIdle: true, since: this.#sample() }
    cgroups.setIdle(true)
  }

  begin(): void {
    if (this.#running++ > 0) return
    const sample = this.#sample()
    // A starving build keeps its share from one step to the next.
    this.#set(this.#share.isIdle ? { isIdle: true, since: sample } : nextShare(this.#share, sample))
    this.#timer = setInterval(() => this.#set(nextShare(this.#share, this.#sample())), sampleEveryMs)
    this.#timer.unref()
  }

  end(): void {
    if (--this.#running === 0) clearInterval(this.#timer)
  }

  #sample(): Sample {
    const builds = this.#cgroups.list().flatMap(cgroup => cgroup.pids)
    const { user, system } = process.cpuUsage()
    const own = ((user + system) / 1_000_000) * ticksPerSecond
    return {
      at: performance.now(),
      builds: builds.reduce((sum, pid) => sum + cpuTicksOf(pid).withChildren, 0),
      // Edge workers are children of this process.
      server: childrenOf(process.pid).reduce((sum, pid) => sum + cpuTicksOf(pid).own, own),
    }
  }

  #set(share: Share): void {
    if (share.isIdle !== this.#share.isIdle) this.#cgroups.setIdle(share.isIdle)
    this.#share = share
  }
}
