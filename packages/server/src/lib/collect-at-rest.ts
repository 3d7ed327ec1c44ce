// Collects garbage when the process is at rest. After a large deployment V8 holds tens of megabytes that nothing uses, and as
// long as nothing allocates, nothing makes it collect them.
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const intervalMs = 15_000
/** The process is at rest if its event loop was busy for at most this share of the time. */
const busyAtMost = 0.02
/** A collection takes tens of milliseconds. It happens only if the heap has grown by this many bytes since the last one. */
const grownBy = 4 * 1024 * 1024

interface Options {
  intervalMs?: number
  heapBytes?(): number
  collect?(): void
}

/** Collects for the first time when the process comes to rest after its start. Returns a function that ends it. */
export function collectAtRest(options: Options = {}): () => void {
  const collect = options.collect ?? findCollector()
  const heapBytes = options.heapBytes ?? residentHeapBytes
  let smallest = 0
  let last = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    const bytes = heapBytes()
    smallest = Math.min(smallest, bytes)
    if (utilization > busyAtMost || bytes < smallest + grownBy) return
    collect()
    smallest = heapBytes()
  }, options.intervalMs ?? intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** The heap with its garbage and its free pages, and the memory of buffers, which is outside of it. */
const residentHeapBytes = (): number =>
  getHeapStatistics().total_physical_size + process.memoryUsage().arrayBuffers

/**
 * Node offers the collector only to contexts that are made after the flag is set. The memory of collected buffers is freed
 * when the next collection begins, so a short one follows.
 */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  setFlagsFromString('--no-expose-gc')
  return () => {
    collect()
    collect({ type: 'minor' })
  }
}
