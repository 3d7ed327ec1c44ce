import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { collectAtRest } from './collect-at-rest.ts'

const MB = 1024 * 1024

test('a process that has grown gives the memory back when it is at rest', async () => {
  const module = JSON.stringify(new URL('./collect-at-rest.js', import.meta.url).href)
  // It ends when the memory is back. If it never is, the test runs into its time limit.
  const program = `
    import { collectAtRest } from ${module}
    collectAtRest({ everyMs: 20 })
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

/** A process of which the tests say how much memory it takes. */
function startWatching(everyMs: number) {
  const memory = { bytes: 100 * MB, collections: 0 }
  const read = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => memory.bytes)
  onTestFinished(() => read.mockRestore())
  const collect = () => {
    memory.collections++
    memory.bytes -= 4 * MB
  }
  onTestFinished(collectAtRest({ everyMs, collect }))
  const checks = () => read.mock.calls.length
  return { memory, checks }
}

test('a process at rest collects once each time that it has grown', async () => {
  const { memory, checks } = startWatching(100)
  memory.bytes += 12 * MB
  await eventually(() => memory.collections === 1)
  memory.bytes += 4 * MB
  const before = checks()
  await eventually(() => checks() > before + 6)
  expect(memory.collections).toBe(1)
  memory.bytes += 4 * MB
  await eventually(() => memory.collections === 2)
})

test('a process at work collects nothing', async () => {
  const { memory, checks } = startWatching(10)
  memory.bytes += 50 * MB
  const before = checks()
  while (checks() < before + 20) {
    const until = performance.now() + 20
    while (performance.now() < until);
    await new Promise(setImmediate)
  }
  expect(memory.collections).toBe(0)
})
