import { describe, expect, it } from 'vitest'
import { onEveryStore } from '../../../testing/stores.ts'
import { registeredDomain, spendOrder } from './budget.ts'

const hour = 3_600_000

onEveryStore(store => {
  describe('the budget at the authority', () => {
    let now = Date.parse('2026-06-01T12:00:00.000Z')
    const clock = { now: () => now, timeout: AbortSignal.timeout }
    const spend = (name: string) => spendOrder({ store: store(), clock }, name)

    it('allows a name four orders an hour and ten a week, and says when it goes on', async () => {
      const begun = now
      for (let order = 0; order < 4; order++) expect(await spend('www.one.example')).toBeUndefined()
      expect(await spend('www.one.example')).toEqual({
        words: '4 orders an hour for one name',
        until: begun + hour,
      })
      expect(await spend('www.two.example')).toBeUndefined()
      for (let round = 0; round < 2; round++) {
        now += hour
        for (let order = 0; order < 3; order++) expect(await spend('www.one.example')).toBeUndefined()
      }
      now += hour
      expect(await spend('www.one.example')).toMatchObject({ words: '10 orders a week for one name' })
      now += 7 * 24 * hour
      expect(await spend('www.one.example')).toBeUndefined()
    })

    it('is kept by those who come at once', async () => {
      const spent = await Promise.all(Array.from({ length: 12 }, () => spend('www.crowd.example')))
      expect(spent.filter(refusal => refusal === undefined)).toHaveLength(4)
    })

    it('allows a registered domain forty a week, whatever the names below it', async () => {
      for (let order = 0; order < 40; order++) expect(await spend(`n${order}.three.example`)).toBeUndefined()
      expect(await spend('n40.three.example')).toMatchObject({
        words: '40 orders a week for one registered domain',
      })
    })

    it('allows the platform ninety an hour', async () => {
      now += hour
      for (let order = 0; order < 90; order++) expect(await spend(`www.n${order}.test`)).toBeUndefined()
      expect(await spend('www.n90.test')).toMatchObject({ words: '90 orders an hour on this platform' })
    })
  })
})

it.each([
  ['www.example.com', 'example.com'],
  ['*.example.com', 'example.com'],
  ['a.b.example.co.uk', 'example.co.uk'],
  ['shop.nsw.edu.au', 'shop.nsw.edu.au'],
  ['www.kobe.jp', 'www.kobe.jp'],
  ['docs.ada.github.io', 'ada.github.io'],
  ['github.io', 'github.io'],
  ['www.xn--55qx5d.cn', 'www.xn--55qx5d.cn'],
  ['a.b.unknown-suffix', 'b.unknown-suffix'],
])('of %s what was registered is %s', (name, registered) => {
  expect(registeredDomain(name)).toBe(registered)
})
