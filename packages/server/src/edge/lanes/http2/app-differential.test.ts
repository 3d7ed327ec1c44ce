// The same requests by HTTP/2 for an app, with the lane and without it: what the client and the app receive must mean the same.
// `SVCD_FUZZ_CASES=100000` for more, `SVCD_FUZZ_SEED` for others.
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { startHttp2Comparison } from './testing/app-differential.ts'
import { changingByHttp2, readingByHttp2 } from './testing/app-scripts.ts'

/** Conversations. They have three requests on average. */
const cases = Number(process.env.SVCD_FUZZ_CASES ?? 1_000)
const seed = Number(process.env.SVCD_FUZZ_SEED ?? 14)
/** Conversations at the same time. */
const atOnce = 10

test.each([
  ['read', readingByHttp2, cases],
  ['change something', changingByHttp2, cases / 2],
])(
  'clients and apps receive the same by HTTP/2 with the lane and without it, by requests that %s',
  async (_, conversation, count) => {
    const beds = await startHttp2Comparison()
    onTestFinished(() => beds.stop())
    const scripts = fc.array(conversation, { minLength: atOnce, maxLength: atOnce })
    const play = fc.asyncProperty(scripts, async all => {
      const played = await Promise.all(all.map(script => beds.play(script)))
      for (const [i, [lane, ordinary]] of played.entries())
        expect(lane, JSON.stringify(all[i])).toBe(ordinary)
    })
    await fc.assert(play, { numRuns: Math.ceil(count / atOnce), seed, endOnFailure: true })
    expect(beds.counts.passed).toBeGreaterThan(count / 3)
  },
  3_600_000,
)
