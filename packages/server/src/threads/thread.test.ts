import { getEventListeners } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Fault } from '../lib/fault.ts'
import type { FixtureArgs } from './fixture-thread.ts'
import { Thread, workerThread } from './thread.ts'
import { WorkerProcess } from './worker-process.ts'

const entry = new URL('./fixture-thread.js', import.meta.url)

const kinds = {
  thread: () => workerThread(entry, { plain: 1 }),
  process: () => new WorkerProcess(entry),
}

describe.each(['thread', 'process'] as const)('a %s', kind => {
  const data = kind === 'thread' ? { plain: 1 } : null

  function start(options: { concurrency?: number; idleMs?: number } = {}) {
    const thread = new Thread<FixtureArgs, unknown>({ start: kinds[kind], concurrency: 4, ...options })
    onTestFinished(() => thread.close())
    return thread
  }

  test('a call returns the result of the handler, and all calls share one thread', async () => {
    const thread = start()
    expect(await thread.call({ does: 'echo', value: 'hi' })).toEqual(['hi', data])
    const births = await Promise.all([1, 2, 3].map(() => thread.call({ does: 'thread' })))
    expect(new Set(births).size).toBe(1)
  })

  test('a fault is passed on with its code, message and cause', async () => {
    const fault = await start()
      .call({ does: 'fault' })
      .catch(error => error)
    expect(fault).toBeInstanceOf(Fault)
    expect(fault).toMatchObject({
      code: 'payload_too_large',
      message: 'Too large.',
      retryAfter: 3,
      cause: { message: 'why' },
    })
  })

  test('any other error is passed on with its name, message and code, and is not a fault', async () => {
    const error = await start()
      .call({ does: 'error' })
      .catch(error => error)
    expect(error).not.toBeInstanceOf(Fault)
    expect(error).toMatchObject({ name: 'TypeError', message: 'broken', code: 'EBROKEN' })
  })

  test('a thread that dies rejects its running calls, and the next call starts another thread', async () => {
    const thread = start()
    const first = await thread.call({ does: 'thread' })
    const calls = [thread.call({ does: 'wait' }), thread.call({ does: 'die' })]
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: `The ${kind} ended with code 7` },
      })
    }
    expect(await thread.call({ does: 'thread' })).not.toBe(first)
  })

  test('calls beyond the limit wait, and still run if the thread dies before their turn', async () => {
    const thread = start({ concurrency: 1 })
    const dead = thread.call({ does: 'die' })
    const waiting = thread.call({ does: 'echo', value: 2 })
    await expect(dead).rejects.toThrow(`The ${kind} ended with code 7`)
    expect(await waiting).toEqual([2, data])
  })

  test('a signal that outlives its calls keeps no listener of theirs', async () => {
    const thread = start({ concurrency: 1 })
    const { signal } = new AbortController()
    await Promise.all([1, 2, 3].map(value => thread.call({ does: 'echo', value }, { signal })))
    await thread.call({ does: 'fault' }, { signal }).catch(() => undefined) // The listeners are what counts.
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('a cancelled call is aborted in the thread, and a waiting one is never sent to it', async () => {
    const thread = start({ concurrency: 1 })
    const cancels = [new AbortController(), new AbortController()]
    const [running, waiting] = cancels.map(({ signal }) => thread.call({ does: 'wait' }, { signal }))
    cancels[1]!.abort(new Error('not needed'))
    await expect(waiting).rejects.toThrow('not needed')
    cancels[0]!.abort()
    await expect(running).rejects.toThrow('was cancelled')
    await expect(thread.call({ does: 'wait' }, { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
  })

  test('an idle thread is stopped, and started again when it is needed', async () => {
    const thread = start({ idleMs: 1 })
    const first = await thread.call({ does: 'thread' })
    while ((await thread.call({ does: 'thread' })) === first)
      await new Promise(resolve => setTimeout(resolve, 20))
  })

  test('closing rejects running calls and later ones', async () => {
    const thread = start({ concurrency: 1 })
    const calls = Promise.allSettled([thread.call({ does: 'wait' }), thread.call({ does: 'wait' })])
    await thread.close()
    expect((await calls).map(call => call.status)).toEqual(['rejected', 'rejected'])
    await expect(thread.call({ does: 'echo' })).rejects.toThrow('closed')
  })

  test('that cannot be started rejects the call, and the next call tries again', async () => {
    let isBroken = true
    const thread = new Thread<FixtureArgs, unknown>({
      start() {
        if (isBroken) throw new Error('no memory')
        return kinds[kind]()
      },
      concurrency: 1,
    })
    onTestFinished(() => thread.close())
    await expect(thread.call({ does: 'echo' })).rejects.toThrow('no memory')
    isBroken = false
    expect(await thread.call({ does: 'echo', value: 1 })).toEqual([1, data])
  })
})

test('closing a thread does not cut what it is just doing, because that can end the whole process', async () => {
  const shared = new SharedArrayBuffer(4)
  const counter = new Int32Array(shared)
  const to = 20_000_000 // This takes some tenths of a second.
  const thread = new Thread<FixtureArgs, unknown>({ start: kinds.thread, concurrency: 1 })
  const call = thread.call({ does: 'count', value: { shared, to } })
  while (Atomics.load(counter, 0) === 0) await new Promise(resolve => setTimeout(resolve, 1))
  await Promise.allSettled([thread.close(), call])
  expect(counter[0]).toBeGreaterThan(to)
})
