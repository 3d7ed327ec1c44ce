// A program that starts a process, writes its id, and waits.
import type { FixtureArgs } from './fixture-thread.ts'
import { Thread } from './thread.ts'
import { WorkerProcess } from './worker-process.ts'

const entry = new URL('./fixture-thread.js', import.meta.url)
const thread = new Thread<FixtureArgs, unknown>({ start: () => new WorkerProcess(entry), concurrency: 2 })
process.stdout.write(`${await thread.call({ does: 'pid' })}\n`)
await thread.call({ does: 'wait' })
