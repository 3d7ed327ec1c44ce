import { expect, test } from 'vitest'
import { FairQueue, QueueFull } from './fair-queue.ts'

/** Work that ends when the test says so; `log` holds who began, in order. */
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
  /** One of those that run ends. */
  const end = async () => {
    under.shift()?.()
    await new Promise(setImmediate)
  }
  return { log, refused, run, end }
}

test('clients take queue, whatever one of them has waiting', async () => {
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

test('when all places are taken, the client that has most of them is refused', async () => {
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

test('work that fails makes room, too', async () => {
  const queue = new FairQueue(1, 0)
  await expect(queue.run(() => Promise.reject(new Error('bad')))).rejects.toThrow('bad')
  expect(await queue.run(async () => 'good')).toBe('good')
})
