import { expect, it, onTestFinished } from 'vitest'
import { ReconcileLoop } from './reconcile-loop.ts'

/** A loop whose runs end when the test ends them. */
function heldLoop(intervalMs = 1_000_000) {
  const ends: { resolve(): void; reject(error: Error): void }[] = []
  const errors: unknown[] = []
  const loop = new ReconcileLoop({
    reconcile: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })),
    onError: error => errors.push(error),
    intervalMs,
  })
  onTestFinished(() => {
    for (const end of ends) end.resolve()
    return loop.stop()
  })
  return { loop, ends, errors }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

it('the loop runs when it is woken, once for all wakes before the run begins', async () => {
  const { loop, ends } = heldLoop()
  loop.wake()
  expect(ends).toHaveLength(1)
})

it('the loop runs once more after a run during which it was woken, however often', async () => {
  const { loop, ends } = heldLoop()
  loop.wake()
  for (let i = 0; i < 5; i++) loop.wake()
  expect(ends).toHaveLength(1)
  ends[0]!.resolve()
  await settled()
  expect(ends).toHaveLength(2)
  ends[1]!.resolve()
  await settled()
  expect(ends).toHaveLength(2)
})

it.each([0, 1, 2, 3, 4, 5, 6])(
  'the loop loses no wake that comes %i turns after a run has ended',
  async turns => {
    const { loop, ends } = heldLoop()
    loop.wake()
    ends[0]!.resolve()
    for (let i = 0; i < turns; i++) await undefined
    loop.wake()
    await settled()
    expect(ends).toHaveLength(2)
  },
)

it('the loop reports a run that fails, and goes on', async () => {
  const { loop, ends, errors } = heldLoop()
  loop.wake()
  const error = new Error('the database is away')
  ends[0]!.reject(error)
  await settled()
  expect(errors).toEqual([error])
  loop.wake()
  expect(ends).toHaveLength(2)
})

it('the loop goes on after a run that throws synchronously', async () => {
  const errors: unknown[] = []
  const loop = new ReconcileLoop({
    reconcile: () => {
      throw new Error('at once')
    },
    onError: error => errors.push(error),
    intervalMs: 1_000_000,
  })
  loop.wake()
  loop.wake()
  await loop.stop()
  expect(errors).toHaveLength(2)
})

it('the loop runs at its interval without a wake', async () => {
  let runs = 0
  await new Promise<void>(resolve => {
    const loop = new ReconcileLoop({
      reconcile: async () => {
        if (++runs === 3) resolve()
      },
      onError: () => undefined,
      intervalMs: 1,
    }).start()
    onTestFinished(() => loop.stop())
  })
  expect(runs).toBeGreaterThanOrEqual(3)
})

it('the loop stops after the current run, and does not run again', async () => {
  const { loop, ends } = heldLoop(1)
  loop.start()
  loop.wake()
  loop.wake()
  let hasStopped = false
  const stopping = loop.stop().then(() => {
    hasStopped = true
  })
  await settled()
  expect([loop.isStopped, hasStopped]).toEqual([true, false])
  ends[0]!.resolve()
  await stopping
  loop.wake()
  await settled()
  expect(ends).toHaveLength(1)
})
