// The thread that watches the event loop of the process. When the heartbeat stops, it asks the inspector for the stack. It
// also writes the counts, so that the event loop does not wait for the disk.
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { type LoopBlocks, writeLoopBlocks } from '../lib/loop-blocks.ts'
import type { Block, WatchdogData } from './watchdog.ts'

const { heartbeat, thresholdMs, dataDir, process: name } = workerData as WatchdogData
const beats = new Int32Array(heartbeat)
const framesAtMost = 15
/** Between two looks at what the program does: each costs it some milliseconds. */
const restMs = 5_000

let lastBeat = Atomics.load(beats, 0)
let since = performance.now()
let cpuBefore = process.cpuUsage()
let stackAt = Number.NEGATIVE_INFINITY
/** Of the block that is going on. */
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

function report(block: Block): void {
  seen.count++
  seen.totalMs += block.ms
  seen.longestMs = Math.max(seen.longestMs, block.ms)
  seen.last = { at: Date.now(), ms: block.ms, stack: block.stack }
  parentPort!.postMessage(block)
  writeLoopBlocks(dataDir, seen)
}

/** Much less than the block itself: the machine was busy with other programs, and ours waited for the processor. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.round((user + system) / 1000)
}

/** The answer fills the list that is returned, as soon as the program reaches a place where it can be interrupted. */
function takeStack(): string[] {
  stackAt = performance.now()
  const frames: string[] = []
  const files = new Map<string, string>()
  const session = new Session()
  session.connectToMainThread()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url))
  session.once('Debugger.paused', ({ params }) => {
    // Nothing may come between: the program stands still until it is told to go on.
    session.post('Debugger.resume')
    for (const { functionName, location } of params.callFrames.slice(0, framesAtMost))
      frames.push(
        `${functionName || '(anonymous)'} ${files.get(location.scriptId) ?? ''}:${location.lineNumber + 1}`,
      )
    session.disconnect()
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
  // A block that ends before it can be interrupted must not stop the program later, when it does something else.
  setTimeout(() => session.disconnect(), 10_000).unref()
  return frames
}
