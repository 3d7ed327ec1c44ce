// Collects garbage when the process is at rest. After a large deployment V8 holds tens of megabytes that nothing uses, and as
// long as nothing allocates, nothing makes it collect them.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyMs = 15_000
/** The process is at rest if its event loop was busy for at most this share of the time. */
const busyAtMost = 0.02
/** A collection takes tens of milliseconds. It happens only if the process has grown by this many bytes since the last one. */
const grownBy = 8 * 1024 * 1024

interface Options {
  everyMs?: number
  collect?(): void
}

/** Returns a function that ends it. */
export function collectAtRest(options: Options = {}): () => void {
  const collect = options.collect ?? findCollector()
  let smallest = process.memoryUsage.rss()
  let last = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    smallest = Math.min(smallest, process.memoryUsage.rss())
    if (utilization > busyAtMost || process.memoryUsage.rss() < smallest + grownBy) return
    collect()
    smallest = process.memoryUsage.rss()
  }, options.everyMs ?? everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Node offers the collector only to contexts that are made after the flag is set. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return collect
}
