import { describe, expect, it } from 'vitest'
import { availableMachine, coresOf, workersFor } from './worker-count.ts'

const GB = 1024 ** 3

describe('edge workers by `auto`', () => {
  it.each([
    { cores: 1, memoryBytes: 1 * GB, workers: 0 },
    { cores: 2, memoryBytes: 24 * GB, workers: 0 },
    { cores: 3, memoryBytes: 8 * GB, workers: 0 },
    { cores: 4, memoryBytes: 8 * GB, workers: 3 },
    { cores: 4, memoryBytes: 2 * GB, workers: 2 },
    { cores: 4, memoryBytes: 1 * GB, workers: 0 },
    { cores: 8, memoryBytes: 4 * GB, workers: 4 },
    { cores: 64, memoryBytes: 256 * GB, workers: 16 },
  ])('$cores cores and $memoryBytes bytes have $workers', ({ workers, ...machine }) => {
    expect(workersFor(machine)).toBe(workers)
  })

  it.each([
    ['200000 100000\n', 2],
    ['50000 100000', 1],
    ['max 100000', Number.POSITIVE_INFINITY],
    ['', Number.POSITIVE_INFINITY],
  ])('a control group with the quota %j has %d cores', (quota, cores) => {
    expect(coresOf(quota)).toBe(cores)
  })

  it('are chosen for at least one core and some memory', () => {
    const { cores, memoryBytes } = availableMachine()
    expect(cores).toBeGreaterThanOrEqual(1)
    expect(memoryBytes).toBeGreaterThan(1024 ** 2)
  })
})
