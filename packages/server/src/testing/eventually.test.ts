import { expect, it } from 'vitest'
import { eventually } from './eventually.ts'

it('eventually looks until the value is right, and returns it', async () => {
  let count = 0
  expect(
    await eventually(
      () => ++count,
      value => value === 3,
    ),
  ).toBe(3)
})

it('eventually looks again after an error', async () => {
  const looks = [() => Promise.reject(new Error('not yet')), () => 'ready']
  expect(await eventually(() => looks.shift()?.())).toBe('ready')
})

it('eventually says what it waited for and what it saw last', async () => {
  const answer = () => ({ status: 503 })
  const waiting = eventually(answer, ({ status }) => status === 200, 0)
  await expect(waiting).rejects.toThrow(
    /waited in vain for .*status === 200.*last look gave \{ status: 503 \}/s,
  )
})

it('eventually says which error it saw last', async () => {
  const cause = new Error('connection refused')
  const waiting = eventually(() => Promise.reject(cause), Boolean, 0)
  await expect(waiting).rejects.toThrow(expect.objectContaining({ cause }))
})
