// The thread that watches the event loop of the program: it sees that the heartbeat has stopped, and asks the inspector
// what the program is doing.
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import type { Block, WatchdogData } from './watchdog.ts'

const { heartbeat, thresholdMs } = workerData as WatchdogData
const beats = new Int32Array(heartbeat)
const framesAtMost = 15

let lastBeat = Atomics.load(beats, 0)
let since = performance.now()
let cpuBefore = process.cpuUsage()
/** Of the block that is going on. */
let stack: string[] | undefined

setInterval(() => {
  const now = performance.now()
  const beat = Atomics.load(beats, 0)
  if (beat === lastBeat) {
    if (now - since > thresholdMs) stack ??= takeStack()
    return
  }
  if (stack !== undefined) report({ ms: Math.round(now - since), cpuMs: cpuSince(cpuBefore), stack })
  stack = undefined
  lastBeat = beat
  since = now
  cpuBefore = process.cpuUsage()
}, thresholdMs / 4)

function report(block: Block): void {
  parentPort!.postMessage(block)
}

/** Much less than the block itself: the machine was busy with other programs, and ours waited for the processor. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.round((user + system) / 1000)
}

/** The answer fills the list that is returned, as soon as the program reaches a place where it can be interrupted. */
function takeStack(): string[] {
  const frames: string[] = []
  const session = new Session()
  session.connectToMainThread()
  session.once('Debugger.paused', ({ params }) => {
    // Nothing may come between: the program stands still until it is told to go on.
    session.post('Debugger.resume')
    for (const { functionName, url, location } of params.callFrames.slice(0, framesAtMost))
      frames.push(`${functionName || '(anonymous)'} ${url}:${location.lineNumber + 1}`)
    session.disconnect()
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
  // A block that ends before it can be interrupted must not stop the program later, when it does something else.
  setTimeout(() => session.disconnect(), 10_000).unref()
  return frames
}
