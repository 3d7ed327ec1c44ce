import { expect, test } from 'vitest'
import { FairQueue, QueueFull } from './fair-queue.ts'

/** Runs tasks that end when the test calls `end`. `log` has the clients whose tasks began, in order. */
function bench(queue: FairQueue) {
  const log: string[] = []
  const under: (() => void)[] = []
  const refused: string[] = []
  const run = (client: string) => {
    const ended = queue.run(() => {
      log.push(client)
      return new Promise<void>(resolve => under.push(resolve))
    }, client)
    ended.catch(error => {
      expect(error).toBeInstanceOf(QueueFull)
      refused.push(client)
    })
  }
  /** Ends one of the running tasks. */
  const end = async () => {
    under.shift()?.()
    await new Promise(setImmediate)
  }
  return { log, refused, run, end }
}

test('clients take turns, however many tasks one of them has waiting', async () => {
  const { log, run, end } = bench(new FairQueue(1, 100))
  for (let i = 0; i < 60; i++) run('greedy')
  run('one')
  run('two')
  for (let i = 0; i < 4; i++) await end()
  expect(log).toEqual(['greedy', 'greedy', 'one', 'two', 'greedy'])
})

test('a client keeps its own order, and all work is done', async () => {
  const { log, run, end } = bench(new FairQueue(2, 100))
  for (const client of ['a', 'a', 'a', 'b', 'b', 'c']) run(client)
  for (let i = 0; i < 6; i++) await end()
  expect(log.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'c'])
  run('d')
  expect(log).toHaveLength(7)
})

test('when the queue is full, the client with the most waiting tasks is refused', async () => {
  const queue = new FairQueue(1, 4)
  const { log, refused, run, end } = bench(queue)
  for (let i = 0; i < 7; i++) run('greedy')
  await end()
  expect(refused).toEqual(['greedy', 'greedy'])
  run('greedy')
  expect(queue.isFullFor('greedy')).toBe(true)
  expect(queue.isFullFor('other')).toBe(false)
  run('other')
  await new Promise(setImmediate)
  expect(refused).toEqual(['greedy', 'greedy', 'greedy'])
  for (let i = 0; i < 6; i++) await end()
  expect(log.filter(client => client === 'other')).toHaveLength(1)
  expect(log.filter(client => client === 'greedy')).toHaveLength(5)
})

test('a task that fails frees its slot', async () => {
  const queue = new FairQueue(1, 0)
  await expect(queue.run(() => Promise.reject(new Error('bad')))).rejects.toThrow('bad')
  expect(await queue.run(async () => 'good')).toBe('good')
})
