// The same bytes of clients and apps, with the lane and without it: what the client and the app receive must mean the same. A
// few thousand requests in each run; `SVCD_FUZZ_CASES=100000` for more, `SVCD_FUZZ_SEED` for others.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Comparison, startComparison } from './testing/differential.ts'
import { conversation, type Step } from './testing/scripts.ts'

/** Conversations. They have three requests on average. */
const cases = Number(process.env.SVCD_FUZZ_CASES ?? 1_000)
const seed = Number(process.env.SVCD_FUZZ_SEED ?? 14)
/** Conversations at the same time. */
const atOnce = 10

let beds: Comparison

beforeAll(async () => {
  beds = await startComparison()
})

afterAll(() => beds.stop())

async function compare(script: Step[]): Promise<void> {
  const [lane, ordinary] = await beds.play(script)
  expect(lane, JSON.stringify(script)).toBe(ordinary)
}

test('clients and apps receive the same with the lane and without it', async () => {
  const scripts = fc.array(conversation, { minLength: atOnce, maxLength: atOnce })
  await fc.assert(
    fc.asyncProperty(scripts, async all => void (await Promise.all(all.map(compare)))),
    { numRuns: Math.ceil(cases / atOnce), seed, endOnFailure: true },
  )
  expect(beds.lane.counts.passedToApps).toBeGreaterThan(cases / 2)
}, 3_600_000)
