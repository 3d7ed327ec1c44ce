import { expect, it } from 'vitest'
import type { Publication } from '../core/disk/places.ts'
import { eventually } from '../testing/eventually.ts'
import { DiskIsTaken, DiskTurns, type Turn } from './disk-turns.ts'

class TestTurn implements Turn {
  readonly diskId = 'dsk_1'
  readonly deploymentId: string
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
