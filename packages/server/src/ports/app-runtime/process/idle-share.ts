// Builds run at idle priority: they take only the CPU time that nobody else wants, so that visitors do not notice them. On a
// machine without spare CPU time such builds starve. Then they get a small share for a while: soon if svcd itself has little to
// do, and late if it is busy serving visitors. What a weight is worth depends on how many others want CPU time, so the weight
// grows until the builds get their share.
import type { Cgroups } from './cgroups.ts'
import { childrenOf, cpuTicksOf, ticksPerSecond } from './process-tree.ts'

const sampleEveryMs = 1_000
const timeoutMs = { calm: 2_000, busy: 20_000 }
const reliefMs = 20_000
/** In cores. Builds that get less than this are starving; a server that uses less than this is calm. */
const starvingBelow = 0.1
const calmBelow = 0.25
/** Builds that get more than this while they are not idle have too much weight. */
const plenty = 0.3
const weighEveryMs = 2_000
const timesAtMost = 16

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
  /** How many times their ordinary weight the builds have when they are not idle. It stays for the next time. */
  times: number
  /** The sample at which the weight was last looked at. */
  weighed: Sample
}

export function nextShare(share: Share, sample: Sample): Share {
  const { isIdle, since } = share
  const elapsed = sample.at - since.at
  if (!isIdle) return elapsed < reliefMs ? weigh(share, sample) : { ...share, isIdle: true, since: sample }
  const cores = (ticks: number) => coresOf(ticks, elapsed)
  // The time of the builds falls when a process ends, and a process that ends was not starving.
  if (sample.builds < since.builds || cores(sample.builds - since.builds) >= starvingBelow)
    return { ...share, isIdle: true, since: sample }
  const isCalm = cores(sample.server - since.server) < calmBelow
  return elapsed < timeoutMs[isCalm ? 'calm' : 'busy']
    ? share
    : { ...share, isIdle: false, since: sample, weighed: sample }
}

function weigh(share: Share, sample: Sample): Share {
  const { times, weighed } = share
  const elapsed = sample.at - weighed.at
  if (elapsed < weighEveryMs) return share
  const got = coresOf(sample.builds - weighed.builds, elapsed)
  const isLittle = got >= 0 && got < starvingBelow
  const next = isLittle ? Math.min(times * 2, timesAtMost) : got > plenty ? Math.max(times / 2, 1) : times
  return { ...share, times: next, weighed: sample }
}

const coresOf = (ticks: number, ms: number): number => ticks / ticksPerSecond / (ms / 1_000)

/** Gives the builds of one node their share for as long as any of them runs. */
export class IdleShare {
  readonly #cgroups: Cgroups
  #running = 0
  #share: Share
  #timer: NodeJS.Timeout | undefined

  constructor(cgroups: Cgroups) {
    this.#cgroups = cgroups
    const since = this.#sample()
    this.#share = { isIdle: true, since, times: 1, weighed: since }
    cgroups.setIdle(true)
  }

  begin(): void {
    if (this.#running++ > 0) return
    const sample = this.#sample()
    // A starving build keeps its share from one step to the next.
    this.#set(this.#share.isIdle ? { ...this.#share, since: sample } : nextShare(this.#share, sample))
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
    const { isIdle, times } = share
    if (isIdle !== this.#share.isIdle || times !== this.#share.times) this.#cgroups.setIdle(isIdle, times)
    this.#share = share
  }
}
