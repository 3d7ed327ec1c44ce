// The same bytes to the lane and to node:http2 alone: what comes back has to mean the same. Half of the clients behave oddly: see
// `mannerFrom`. A few thousand sessions in
// each run; SVCD_FUZZ_CASES=100000 plays as many, SVCD_FUZZ_SEED=n begins with another one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compare } from './testing/differential.ts'
import { type LaneTestbed, startLaneTestbed } from './testing/testbed.ts'

const count = Number(process.env.SVCD_FUZZ_CASES ?? 2_000)
const firstSeed = Number(process.env.SVCD_FUZZ_SEED ?? 1)
/** Sessions that are played at a time. */
const atOnce = 8

let bed: LaneTestbed
beforeAll(async () => {
  bed = await startLaneTestbed({}, {}, true)
})
afterAll(() => bed?.stop())

it(
  `the lane answers ${count} sessions as node:http2 alone does`,
  async () => {
    const failures: string[] = []
    const sum = { answers: 0, refused: 0, gone: 0 }
    let next = firstSeed
    const worker = async () => {
      while (next < firstSeed + count && failures.length < 5) {
        const { isRefused, answers, ending, failure } = await compare(bed, next++)
        sum.answers += answers
        if (isRefused) sum.refused++
        if (ending !== 'stays') sum.gone++
        if (failure !== undefined) failures.push(failure)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    expect(failures.join('\n')).toBe('')
    // The sessions are worth playing: most are answered, by the lane in good part, and some go wrong.
    expect(bed.counts.lane).toBeGreaterThan(count)
    expect(sum.answers).toBeGreaterThan(2 * count)
    expect(sum.refused).toBeGreaterThan(count / 20)
    expect(sum.gone).toBeGreaterThan(count / 10)
    expect(bed.bed.errors).toEqual([])
  },
  600_000 + 200 * count,
)
