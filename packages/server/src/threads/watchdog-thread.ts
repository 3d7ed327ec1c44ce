// The thread that watches the event loop of the process. When the heartbeat stops, it asks the inspector for the stack. It
// also writes the counts, so that the event loop does not wait for the disk.
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { type LoopBlocks, writeLoopBlocks } from '../lib/loop-blocks.ts'
import type { endYourself } from '../lib/worker-calls.ts'
import type { Block, WatchdogData } from './watchdog.ts'

const { heartbeat, thresholdMs, dataDir, process: name } = workerData as WatchdogData
const beats = new Int32Array(heartbeat)
const framesAtMost = 15
/** The shortest time between two stack traces, since each costs the program some milliseconds. */
const restMs = 5_000

let lastBeat = Atomics.load(beats, 0)
let since = performance.now()
let cpuBefore = process.cpuUsage()
let stackAt = Number.NEGATIVE_INFINITY
/** The stack of the current block. `undefined` if the event loop is not blocked. */
let stack: string[] | undefined

setInterval(() => {
  const now = performance.now()
  const beat = Atomics.load(beats, 0)
  if (beat === lastBeat) {
    if (now - since > thresholdMs) stack ??= now - stackAt < restMs ? [] : takeStack()
    return
  }
  if (stack !== undefined) report({ ms: Math.round(now - since), cpuMs: cpuSince(cpuBefore), stack })
  stack = undefined
  lastBeat = beat
  since = now
  cpuBefore = process.cpuUsage()
}, thresholdMs / 4)

const seen: LoopBlocks = { process: name, since: Date.now(), count: 0, totalMs: 0, longestMs: 0, last: null }
writeLoopBlocks(dataDir, seen)
parentPort!.on('message', (told: typeof endYourself) => told.end && process.exit())

function report(block: Block): void {
  seen.count++
  seen.totalMs += block.ms
  seen.longestMs = Math.max(seen.longestMs, block.ms)
  seen.last = { at: Date.now(), ms: block.ms, stack: block.stack }
  parentPort!.postMessage(block)
  writeLoopBlocks(dataDir, seen)
}

/** The CPU time of the process. If it is much less than the block took, the machine was busy with other programs. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.round((user + system) / 1000)
}

/** Returns a list that is filled later, as soon as the inspector can interrupt the program. */
function takeStack(): string[] {
  stackAt = performance.now()
  const frames: string[] = []
  const files = new Map<string, string>()
  const session = new Session()
  session.connectToMainThread()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url))
  session.once('Debugger.paused', ({ params }) => {
    // Resume first: the program is paused until then.
    session.post('Debugger.resume')
    for (const { functionName, location } of params.callFrames.slice(0, framesAtMost))
      frames.push(
        `${functionName || '(anonymous)'} ${files.get(location.scriptId) ?? ''}:${location.lineNumber + 1}`,
      )
    session.disconnect()
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
  // If the block ends before the program can be interrupted, a late pause would show unrelated code. Disconnecting prevents it.
  setTimeout(() => session.disconnect(), 10_000).unref()
  return frames
}
