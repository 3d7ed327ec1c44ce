// Watches the event loop: when it is blocked, everybody waits. A block is logged with what the program was doing, and
// counted for the metrics and `svcd doctor`.
import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'

interface WatchdogSettings {
  /** A loop that stands still for longer is blocked; 0: nobody watches. */
  thresholdMs: number
  dataDir: string
  /** The name of this process among those of the instance. */
  process: string
  log: Logger
}

export interface WatchdogData {
  heartbeat: SharedArrayBuffer
  thresholdMs: number
  dataDir: string
  process: string
}

export interface Block {
  ms: number
  /** Processor time of the whole program meanwhile. */
  cpuMs: number
  /** Innermost first. */
  stack: string[]
}

const blockedWords = 'the event loop was blocked: every request had to wait'
const lateWords =
  'the event loop stood still, but used little processor time: the machine or its disk was busy with other things'
/** Between two lines in the log. */
const quietMs = 10_000

const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

/** Returns the function that stops it. */
export function startWatchdog({ thresholdMs, dataDir, process, log }: WatchdogSettings): () => void {
  // Somebody who debugs the program stops it on purpose.
  if (thresholdMs === 0 || inspectorUrl() !== undefined) return () => undefined
  const heartbeat = new SharedArrayBuffer(4)
  const beats = new Int32Array(heartbeat)
  const beating = setInterval(() => Atomics.add(beats, 0, 1), thresholdMs / 4).unref()
  const data: WatchdogData = { heartbeat, thresholdMs, dataDir, process }
  const entry = new URL('./watchdog-thread.js', import.meta.url)
  const worker = new Worker(entry, { workerData: data, resourceLimits })
  worker.unref()
  worker.on('error', err => log.warn({ err }, 'nobody watches the event loop any more'))
  let quietUntil = 0
  worker.on('message', ({ ms, cpuMs, stack }: Block) => {
    // On a machine that is always late there would be no end of lines; all blocks are counted.
    if (Date.now() < quietUntil) return
    quietUntil = Date.now() + quietMs
    log.warn({ blockedMs: ms, cpuMs, stack }, cpuMs * 4 < ms ? lateWords : blockedWords)
  })
  return () => {
    clearInterval(beating)
    void worker.terminate()
  }
}
