import { expect, test } from 'vitest'
import { InstanceUse, Visits } from './instance-use.ts'

const address = { host: '127.0.0.1', port: 1 }
const useWith = (visits: Visits) => new InstanceUse('ins', address, visits, 0)
const begin = (visits: Visits) => visits.begin(() => undefined)

test('an instance is busy until the requests that began before it was replaced have ended', () => {
  const first = new Visits()
  const replaced = useWith(first)
  const end = begin(first)
  const second = new Visits(first)
  const current = useWith(second)
  const endLater = begin(second)
  expect([replaced.isBusy, current.isBusy]).toEqual([true, true])
  endLater()
  // Which instance the earlier request went to is not known.
  expect([replaced.isBusy, current.isBusy]).toEqual([true, true])
  begin(second)
  end()
  expect([replaced.isBusy, current.isBusy]).toEqual([false, true])
})

test('a request that outlives several instances keeps all of them busy', () => {
  const first = new Visits()
  const end = begin(first)
  const [second, third] = [new Visits(first), new Visits(new Visits(first))]
  expect([first, second, third].map(visits => useWith(visits).isBusy)).toEqual([true, true, true])
  end()
  expect([first, second, third].map(visits => useWith(visits).isBusy)).toEqual([false, false, false])
})

test('the end of a request counts once, however often it is reported', () => {
  let ends = 0
  const visits = new Visits()
  const end = visits.begin(() => ends++)
  begin(visits)
  end()
  end()
  expect(ends).toBe(1)
  expect(visits.isAny).toBe(true)
})

test('the use of an instance is recorded at most once in a given time', () => {
  const visits = new Visits()
  const use = useWith(visits)
  expect(use.isNoteDue(10_000, 1_000)).toBe(false)
  use.touch(9_000)
  expect(use.isNoteDue(10_000, 1_000)).toBe(true)
  use.noted(10_000)
  begin(visits)
  expect([use.isNoteDue(10_999, 1_000), use.isNoteDue(11_000, 1_000)]).toEqual([false, true])
})
