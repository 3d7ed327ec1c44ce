// Watches the event loop, since all requests wait while it is blocked. A block is logged with the stack of the program, and
// counted for the metrics and `svcd doctor`.
import { url as inspectorUrl } from 'node:inspector'
import type { Logger } from 'pino'
import { SelfEndingWorker } from '../lib/self-ending-worker.ts'
import { programFile } from '../program-files.ts'

interface WatchdogSettings {
  /** The event loop counts as blocked if it does not turn for longer than this. 0 turns the watchdog off. */
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
  /** The CPU time of the whole process during the block. */
  cpuMs: number
  /** The frames, with the innermost first. */
  stack: string[]
}

const blockedWords = 'the event loop was blocked: every request had to wait'
const lateWords =
  'the event loop stood still, but used little processor time: the machine or its disk was busy with other things'
/** The shortest time between two lines in the log. */
const quietMs = 10_000

const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

/** Returns the function that stops the watchdog. */
export function startWatchdog({ thresholdMs, dataDir, process, log }: WatchdogSettings): () => Promise<void> {
  // A debugger stops the program on purpose, so do not watch while one is attached.
  if (thresholdMs === 0 || inspectorUrl() !== undefined) return () => Promise.resolve()
  const heartbeat = new SharedArrayBuffer(4)
  const beats = new Int32Array(heartbeat)
  const beating = setInterval(() => Atomics.add(beats, 0, 1), thresholdMs / 4).unref()
  const data: WatchdogData = { heartbeat, thresholdMs, dataDir, process }
  const entry = programFile('threads/watchdog-thread.js')
  const worker = new SelfEndingWorker(entry, { workerData: data, resourceLimits })
  worker.unref()
  worker.on('error', err => log.warn({ err }, 'nobody watches the event loop any more'))
  let quietUntil = 0
  worker.on('message', ({ ms, cpuMs, stack }: Block) => {
    // Limit the lines in the log, since an overloaded machine blocks all the time. All blocks are counted.
    if (Date.now() < quietUntil) return
    quietUntil = Date.now() + quietMs
    log.warn({ blockedMs: ms, cpuMs, stack }, cpuMs * 4 < ms ? lateWords : blockedWords)
  })
  return async () => {
    clearInterval(beating)
    await worker.terminate()
  }
}
