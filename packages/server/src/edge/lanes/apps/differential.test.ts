// The same bytes of clients and apps, with the lane and without it: what the client and the app receive must mean the same. A
// few thousand requests in each run; `SVCD_FUZZ_CASES=100000` for more, `SVCD_FUZZ_SEED` for others.
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { startComparison } from './testing/differential.ts'
import { changingConversation, readingConversation, repeatingConversation } from './testing/scripts.ts'

/** Conversations. They have three requests on average. */
const cases = Number(process.env.SVCD_FUZZ_CASES ?? 1_000)
const seed = Number(process.env.SVCD_FUZZ_SEED ?? 14)
/** Conversations at the same time. */
const atOnce = 10

test.each([
  ['that read', readingConversation, cases, false],
  ['that change something', changingConversation, cases / 2, false],
  ['with the same fields', repeatingConversation, cases / 2, true],
])(
  'clients and apps receive the same with the lane and without it, by requests %s',
  async (_, conversation, count, isRepeating) => {
    const beds = await startComparison()
    onTestFinished(() => beds.stop())
    const scripts = fc.array(conversation, { minLength: atOnce, maxLength: atOnce })
    const play = fc.asyncProperty(scripts, async all => {
      const played = await Promise.all(all.map(script => beds.play(script, isRepeating)))
      for (const [i, [lane, ordinary]] of played.entries())
        expect(lane, JSON.stringify(all[i])).toBe(ordinary)
    })
    await fc.assert(play, { numRuns: Math.ceil(count / atOnce), seed, endOnFailure: true })
    expect(beds.lane.counts.passedToApps).toBeGreaterThan(count / 2)
  },
  3_600_000,
)
