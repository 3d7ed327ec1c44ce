import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BoundedCache } from './bounded-cache.ts'

describe('a bounded cache', () => {
  test('never weighs more than its budget, and returns only the values that were set last', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      weight: fc.nat({ max: 70 }),
      call: fc.constantFrom('set', 'get', 'delete'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        const memory = new BoundedCache<{ weight: number }>(100)
        const model = new Map<string, { weight: number }>()
        for (const { key, weight, call } of steps) {
          if (call === 'get') {
            const value = memory.get(key)
            if (value !== undefined) expect(value).toBe(model.get(key))
          } else if (call === 'delete') {
            memory.delete(key)
            model.delete(key)
            expect(memory.get(key)).toBeUndefined()
          } else {
            const value = { weight }
            memory.delete(key)
            memory.set(key, value)
            model.set(key, value)
          }
          expect(memory.weight).toBeLessThanOrEqual(100)
          expect(memory.weight).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })

  test('keeps used entries longer than unused ones', () => {
    const memory = new BoundedCache<{ weight: number }>(100)
    const used = { weight: 10 }
    memory.set('used', used)
    for (let i = 0; i < 100; i++) {
      memory.set(`other ${i}`, { weight: 10 })
      expect(memory.get('used')).toBe(used)
    }
    expect(memory.get('other 1')).toBeUndefined()
  })

  test('refuses an entry that is larger than half of the budget', () => {
    const memory = new BoundedCache<{ weight: number }>(100)
    memory.set('whale', { weight: 51 })
    expect(memory.get('whale')).toBeUndefined()
    expect(memory.weight).toBe(0)
  })
})
