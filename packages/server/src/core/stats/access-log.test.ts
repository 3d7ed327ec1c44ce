import { expect, test } from 'vitest'
import type { Counts } from '../../store/stats/intake.ts'
import { eventually } from '../../testing/eventually.ts'
import type { Access } from './access.ts'
import { type AccessLogSettings, BufferedAccessLog } from './access-log.ts'
import { Tally } from './tally.ts'

const access = (change: Partial<Access> = {}): Access => ({
  at: Date.UTC(2026, 0, 1, 12, 30),
  projectId: 'prj_a',
  host: 'a.example',
  method: 'GET',
  target: '/',
  status: 200,
  bytes: 1,
  cache: 'HIT',
  html: true,
  peer: '127.0.0.1',
  deploymentId: undefined,
  requestId: undefined,
  ms: undefined,
  fields: '',
  times: 1,
  source: 'static',
  taken: false,
  ...change,
})

/** A log whose counts are written into an array, as long as `works`. */
function start(settings: Partial<AccessLogSettings> = {}) {
  const written: Counts[] = []
  const state = { canCount: true, canWrite: true, slow: Promise.resolve(), lost: 0, errors: 0 }
  let tally = new Tally()
  const log = new BufferedAccessLog({
    counter: {
      async read(accesses) {
        if (!state.canCount) throw new Error('no salt')
        return tally => {
          for (const { projectId, at, times } of accesses)
            tally.hour(projectId, at - (at % 3_600_000)).row.requests += times
        }
      },
    },
    requests: { add: () => undefined, write: async () => undefined },
    metrics: { add: () => undefined },
    recorder: {
      get tally() {
        return tally
      },
      async write() {
        if (!state.canWrite) throw new Error('no database')
        const rows = tally.rows()
        tally = new Tally()
        await state.slow
        written.push(rows)
      },
      drop: () => undefined,
    },
    onError: () => state.errors++,
    onLoss: requests => (state.lost += requests),
    settings: { flushAfterMs: 1, ...settings },
  })
  const requests = () => written.flatMap(({ hours }) => hours).reduce((sum, row) => sum + row.requests, 0)
  return { log, state, written, requests }
}

test('added answers are written soon', async () => {
  const { log, requests } = start()
  log.add(access())
  log.add(access({ times: 3 }))
  await eventually(async () => requests() === 4)
  await log.close()
})

test('closing writes everything that was added', async () => {
  const { log, requests } = start({ flushAfterMs: 3_600_000, slice: 2 })
  const all = Array.from({ length: 5 }, () => access())
  for (const one of all) log.add(one)
  await log.close()
  expect(requests()).toBe(5)
  expect(all.every(({ taken }) => taken)).toBe(true)
})

test('many are counted early', async () => {
  const { log, requests } = start({ flushAfterMs: 3_600_000, early: 3 })
  for (let i = 0; i < 3; i++) log.add(access())
  await eventually(async () => requests() === 3)
  await log.close()
})

test('nothing is lost if each turn of the event loop brings many more answers than one slice', async () => {
  const { log, state, requests } = start({ slice: 25 })
  const [turns, perTurn] = [300, 500]
  for (let turn = 0; turn < turns; turn++) {
    for (let i = 0; i < perTurn; i++) log.add(access())
    await new Promise(setImmediate)
  }
  await log.close()
  expect(state.lost).toBe(0)
  expect(requests()).toBe(turns * perTurn)
})

test('counting goes on while the database is slow', async () => {
  const { log, state, requests } = start({ flushAfterMs: 3_600_000, early: 3 })
  let write: () => void = () => undefined
  state.slow = new Promise(resolve => {
    write = resolve
  })
  const all = Array.from({ length: 9 }, () => access())
  for (const three of [0, 3, 6]) {
    for (const one of all.slice(three, three + 3)) log.add(one)
    await eventually(async () => all.slice(0, three + 3).every(({ taken }) => taken))
  }
  expect(requests()).toBe(0)
  write()
  await log.close()
  expect(requests()).toBe(9)
})

test.each(['canCount', 'canWrite'] as const)('nothing is lost while it fails: %s', async what => {
  const { log, state, requests } = start()
  state[what] = false
  log.add(access())
  await eventually(async () => state.errors > 1)
  log.add(access())
  state[what] = true
  await eventually(async () => requests() === 2)
  await log.close()
  expect(state.lost).toBe(0)
})

test.each([
  ['entries', { entries: 20 }, 25],
  ['characters', { chars: 900 }, 25],
])('beyond its bound in %s answers are lost, and their number is not', async (_, settings, added) => {
  const { log, state, requests, written } = start({ flushAfterMs: 3_600_000, ...settings })
  state.canCount = false
  for (let i = 0; i < added; i++) log.add(access())
  state.canCount = true
  await log.close()
  const lost = written.flatMap(({ hours }) => hours).reduce((sum, row) => sum + row.lost, 0)
  expect(state.lost).toBe(lost)
  expect(lost).toBeGreaterThan(0)
  expect(requests()).toBe(added - lost)
})
