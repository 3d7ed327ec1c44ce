import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { collectAtRest } from './collect-at-rest.ts'

const MB = 1024 * 1024

test('a process that has grown gives the memory back when it is at rest', async () => {
  const module = JSON.stringify(new URL('./collect-at-rest.js', import.meta.url).href)
  // It ends when the memory is back. If it never is, the test runs into its time limit.
  const program = `
    import { collectAtRest } from ${module}
    collectAtRest({ intervalMs: 20 })
    let held = Array.from({ length: 1_000_000 }, (_, i) => ({ text: String(i), i }))
    const before = process.memoryUsage.rss()
    held = undefined
    const timer = setInterval(() => {
      if (process.memoryUsage.rss() > before - ${32 * MB}) return
      console.log('given back', typeof gc)
      clearInterval(timer)
    }, 50)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toBe('given back undefined\n')
})

/** A process of which the tests say how large its heap is. */
function startWatching(intervalMs: number) {
  const heap = { bytes: 100 * MB, collections: 0, checks: 0 }
  const heapBytes = () => {
    heap.checks++
    return heap.bytes
  }
  const collect = () => {
    heap.collections++
    heap.bytes -= 2 * MB
  }
  onTestFinished(collectAtRest({ intervalMs, heapBytes, collect }))
  return heap
}

test('a process at rest collects once after its start, and each time that its heap has grown', async () => {
  const heap = startWatching(100)
  await eventually(() => heap.collections === 1)
  heap.bytes += 2 * MB
  const before = heap.checks
  await eventually(() => heap.checks > before + 6)
  expect(heap.collections).toBe(1)
  heap.bytes += 2 * MB
  await eventually(() => heap.collections === 2)
})

test('a process at work collects nothing', async () => {
  const heap = startWatching(10)
  while (heap.checks < 20) {
    const until = performance.now() + 20
    while (performance.now() < until);
    await new Promise(setImmediate)
  }
  expect(heap.collections).toBe(0)
})
