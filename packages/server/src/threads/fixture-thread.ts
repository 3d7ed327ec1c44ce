// A thread or process for the tests of `Thread`: it answers, fails, waits or exits on request.
import { isMainThread, workerData } from 'node:worker_threads'
import { Fault } from '../lib/fault.ts'
import { answerProcessRequests, answerThreadRequests } from './answer-requests.ts'

export type FixtureArgs = {
  does: 'echo' | 'fault' | 'error' | 'wait' | 'die' | 'thread' | 'pid' | 'count'
  value?: unknown
}

const born = Math.random()
const answerRequests = isMainThread ? answerProcessRequests : answerThreadRequests

answerRequests(1, async ({ does, value }: FixtureArgs, signal): Promise<unknown> => {
  if (does === 'echo') return [value, workerData]
  if (does === 'thread') return born
  if (does === 'pid') return process.pid
  if (does === 'fault')
    throw new Fault('payload_too_large', 'Too large.', { cause: new Error('why'), retryAfter: 3 })
  if (does === 'error') throw Object.assign(new TypeError('broken'), { code: 'EBROKEN' })
  if (does === 'count') {
    const { shared, to } = value as { shared: SharedArrayBuffer; to: number }
    const counter = new Int32Array(shared)
    while (Atomics.add(counter, 0, 1) < to);
  }
  if (does === 'die') process.exit(7)
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('was cancelled'))),
  )
})
