// A short form of `npm run chaos`.
import { expect, test } from 'vitest'
import { runChaos } from './chaos/chaos.ts'

test.each([
  [['a node is killed', 'connections of one node stand still'] as const],
  [
    [
      'the database is killed',
      'the storage loses half of its answers',
      'connections to the database are reset',
    ] as const,
  ],
])(
  'nothing acknowledged is lost, and no guarded page is seen, when %s',
  async faults => {
    const ledger = await runChaos({ faults, steps: 2, log: () => undefined })
    expect(ledger.violations).toEqual([])
  },
  900_000,
)
