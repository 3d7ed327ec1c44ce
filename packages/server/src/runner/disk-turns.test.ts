import { describe, expect, it } from 'vitest'
import type { Publication } from '../core/disk/places.ts'
import { eventually } from '../testing/eventually.ts'
import { DiskIsTaken, DiskTurns, type Turn } from './disk-turns.ts'

class TestTurn implements Turn {
  readonly diskId = 'dsk_1'
  readonly deploymentId: string
  isShared = false
  /** How its deployment stands now. */
  now: Publication
  isRunning = false
  yields = 0
  /** Ends the instance when it is called. */
  end: () => void = () => undefined

  constructor(deploymentId: string, now: Publication) {
    this.deploymentId = deploymentId
    this.now = now
  }

  isUp = () => this.isRunning
  publication = async () => this.now
  yield(): Promise<void> {
    this.yields++
    return new Promise(resolve => {
      this.end = resolve
    })
  }
}

async function liveInstance(turns: DiskTurns): Promise<TestTurn> {
  const live = new TestTurn('dep_live', 'published')
  await turns.take(live, new AbortController().signal)
  live.isRunning = true
  return live
}

it('an instance is asked once to give up its disk, also if a request asks for its deployment again meanwhile', async () => {
  const turns = new DiskTurns()
  const { signal } = new AbortController()
  const live = await liveInstance(turns)
  const next = new TestTurn('dep_next', 'published soon')
  const taken = turns.take(next, signal)
  await eventually(async () => live.yields === 1)
  const again = new TestTurn('dep_live', 'published')
  const refused = turns.take(again, signal).catch((error: unknown) => error)
  // It looks several times at what the others do.
  let looks = 0
  again.publication = async () => {
    looks++
    return again.now
  }
  await eventually(async () => looks > 4)
  expect(live.yields).toBe(1)
  turns.giveBack(live)
  live.end()
  expect(await taken).toEqual(['dep_live'])
  next.isRunning = true
  next.now = 'published'
  again.now = 'superseded'
  expect(await refused).toBeInstanceOf(DiskIsTaken)
  expect(next.yields).toBe(0)
})

it('a restart takes the disk from the instance of the same deployment', async () => {
  const turns = new DiskTurns()
  const live = await liveInstance(turns)
  const fresh = new TestTurn('dep_live', 'published')
  const taken = turns.take(fresh, new AbortController().signal)
  await eventually(async () => live.yields === 1)
  turns.giveBack(live)
  live.end()
  expect(await taken).toEqual(['dep_live'])
})

describe('instances that share a disk', () => {
  const sharing = (deploymentId: string, now: Publication) =>
    Object.assign(new TestTurn(deploymentId, now), { isShared: true })
  const { signal } = new AbortController()

  it('have it side by side as soon as its directory is ready, and none is asked to give it up', async () => {
    const turns = new DiskTurns()
    const [live, next] = [sharing('dep_live', 'published'), sharing('dep_next', 'published soon')]
    await turns.take(live, signal)
    let hasTaken = false
    const taken = turns.take(next, signal).then(ended => {
      hasTaken = true
      return ended
    })
    let looks = 0
    next.publication = async () => {
      looks++
      return next.now
    }
    await eventually(async () => looks > 3)
    expect(hasTaken).toBe(false)
    live.isRunning = true
    turns.share(live)
    expect(await taken).toEqual([])
    expect(live.yields).toBe(0)
    turns.giveBack(live)
    expect(turns.isTaken('dsk_1')).toBe(true)
    turns.giveBack(next)
    expect(turns.isTaken('dsk_1')).toBe(false)
  })

  it('all give it up to one that has it alone', async () => {
    const turns = new DiskTurns()
    const all = [sharing('dep_live', 'published'), sharing('dep_old', 'superseded')]
    for (const turn of all) {
      turn.now = 'published'
      await turns.take(turn, signal)
      turns.share(turn)
      turn.isRunning = true
    }
    all[1]!.now = 'superseded'
    const alone = new TestTurn('dep_live', 'published')
    const taken = turns.take(alone, signal)
    await eventually(async () => all.every(turn => turn.yields === 1))
    expect(turns.takeIfFree(sharing('dep_live', 'published'))).toBe(false)
    for (const turn of all) {
      turns.giveBack(turn)
      turn.end()
    }
    expect((await taken).sort()).toEqual(['dep_live', 'dep_old'])
    expect(turns.takeIfFree(sharing('dep_live', 'published'))).toBe(false)
  })
})
