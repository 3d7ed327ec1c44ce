import { expect, test } from 'vitest'
import { freeMemory } from './free-memory.ts'

test('the memory of a large buffer is freed, also through a part that reaches to its end', () => {
  const whole = Buffer.alloc(100_000)
  freeMemory(whole)
  expect(whole.length).toBe(0)
  const other = Buffer.alloc(100_000)
  freeMemory(other.subarray(50_000))
  expect(other.length).toBe(0)
})

test('memory that other buffers may use is not freed', () => {
  const filling = Buffer.alloc(100_000)
  freeMemory(filling.subarray(0, 50_000))
  expect(filling.length).toBe(100_000)
  const shared = Buffer.from(new SharedArrayBuffer(100_000))
  freeMemory(shared)
  expect(shared.length).toBe(100_000)
})

test('the pool of small buffers is never freed', () => {
  const small = Array.from({ length: 2000 }, () => Buffer.from('eight by'))
  for (const buffer of small) freeMemory(buffer)
  for (const buffer of small) expect(buffer.toString()).toBe('eight by')
})
