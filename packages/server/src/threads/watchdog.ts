// Watches the event loop: when it is blocked, everybody waits. A block is logged with what the program was doing, and
// counted for the metrics and `svcd doctor`.
import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { type LoopBlocks, writeLoopBlocks } from '../lib/loop-blocks.ts'

export interface WatchdogSettings {
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
}

export interface Block {
  ms: number
  /** Processor time of the whole program meanwhile. */
  cpuMs: number
  /** Innermost first. */
  stack: string[]
}

const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

/** Answers the function that stops it. */
export function startWatchdog({ thresholdMs, dataDir, process, log }: WatchdogSettings): () => void {
  // Somebody who debugs the program stops it on purpose.
  if (thresholdMs === 0 || inspectorUrl() !== undefined) return () => undefined
  const heartbeat = new SharedArrayBuffer(4)
  const beats = new Int32Array(heartbeat)
  const beating = setInterval(() => Atomics.add(beats, 0, 1), thresholdMs / 4).unref()
  const seen: LoopBlocks = { process, since: Date.now(), count: 0, totalMs: 0, longestMs: 0, last: null }
  const note = () => {
    try {
      writeLoopBlocks(dataDir, seen)
    } catch (err) {
      log.warn({ err }, 'the count of event loop blocks could not be written')
    }
  }
  const data: WatchdogData = { heartbeat, thresholdMs }
  const entry = new URL('./watchdog-thread.js', import.meta.url)
  const worker = new Worker(entry, { workerData: data, resourceLimits })
  worker.unref()
  worker.on('error', err => log.warn({ err }, 'nobody watches the event loop any more'))
  worker.on('message', ({ ms, cpuMs, stack }: Block) => {
    seen.count++
    seen.totalMs += ms
    seen.longestMs = Math.max(seen.longestMs, ms)
    seen.last = { at: Date.now(), ms, stack }
    log.warn({ blockedMs: ms, cpuMs, stack }, 'the event loop was blocked: every request had to wait')
    note()
  })
  note()
  return () => {
    clearInterval(beating)
    void worker.terminate()
  }
}
