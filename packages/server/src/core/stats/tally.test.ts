import { expect, test } from 'vitest'
import { Tally } from './tally.ts'

const since = Date.UTC(2026, 0, 31, 12)
const pathsOf = (tally: Tally) => tally.rows().names.map(({ name, requests }) => [name, requests])

test('a list with a limit keeps the most frequent names', () => {
  const tally = new Tally()
  const { lists } = tally.hour('prj_a', since)
  for (let i = 0; i < 50; i++) lists.add('path', `/${i}`, 1)
  lists.add('path', '/real', 2)
  const { names } = tally.rows(() => 10)
  expect(names).toHaveLength(10)
  expect(names).toContainEqual(expect.objectContaining({ name: '/real', requests: 2 }))
})

test('counts that could not be written are added to the newer ones', () => {
  const tally = new Tally()
  const fill = () => {
    const { row, lists } = tally.hour('prj_a', since)
    row.requests += 2
    row.bytes += 10
    lists.add('path', '/', 2, 10)
    tally.day('prj_a', since).add('view page', '/', 1)
    tally.addVisitor({ project_id: 'prj_a', day: since, hour: since, hash: 'h' })
  }
  fill()
  const before = structuredClone(tally.rows())
  tally.addBack(before)
  const { hours, names, visitors } = tally.rows()
  expect(hours).toMatchObject([{ requests: 4, bytes: 20 }])
  expect(names).toMatchObject([
    { kind: 'path', requests: 4, bytes: 20 },
    { kind: 'view page', requests: 2 },
  ])
  expect(visitors).toHaveLength(1)
})

test('without room for more names, sums stay exact and the lists are marked as incomplete', () => {
  const tally = new Tally({ names: 2, namesOfDay: 1, visitors: 1 })
  const { row, lists } = tally.hour('prj_a', since)
  for (const path of ['/a', '/b', '/c', '/a']) {
    row.requests++
    lists.add('path', path, 1)
  }
  expect(pathsOf(tally)).toEqual([
    ['/a', 2],
    ['/b', 1],
  ])
  for (const hash of ['one', 'two']) tally.addVisitor({ project_id: 'prj_a', day: since, hour: since, hash })
  expect(tally.rows()).toMatchObject({ hours: [{ requests: 4, lost: 2 }], visitors: [{ hash: 'one' }] })
})
