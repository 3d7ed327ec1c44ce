import { describe, expect, it } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { onEveryStore } from '../../../testing/stores.ts'
import { type OrderedName, registeredDomain, spendOrder } from './budget.ts'

const hour = 3_600_000

onEveryStore(store => {
  describe('the budget at the authority', () => {
    let now = Date.parse('2026-06-01T12:00:00.000Z')
    const clock = { now: () => now, timeout: AbortSignal.timeout }
    const order = (...names: OrderedName[]) => spendOrder({ store: store(), clock }, names)
    const spend = async (name: string) => (await order({ name, kind: 'domain', owner: undefined })).get(name)
    const preview = (owner: string, name = `${randomText(8)}--site.own.example`): OrderedName => ({
      name,
      kind: 'demand',
      owner,
    })

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

    it('allows visitors twenty orders a week for previews, and leaves the rest to projects and the platform', async () => {
      const site = (kind: 'project' | 'platform', label: string): OrderedName => ({
        name: `${label}.own.example`,
        kind,
        owner: undefined,
      })
      for (let count = 0; count < 20; count++) {
        if (count % 4 === 0) now += hour
        expect(await order(preview(`owner-${count}`))).toEqual(new Map())
      }
      now += hour
      const late = preview('somebody')
      expect((await order(late)).get(late.name)).toMatchObject({ words: '20 orders a week for previews' })
      // A preview that comes with a project needs no order of its own.
      expect(await order(late, site('project', 'shop'))).toEqual(new Map())
      for (let count = 0; count < 14; count++)
        expect(await order(site('project', `p${count}`))).toEqual(new Map())
      expect((await order(site('project', 'last'))).get('last.own.example')).toMatchObject({
        words: '35 orders a week for sites',
      })
      expect(await order(site('platform', 'app'))).toEqual(new Map())
      now += 7 * 24 * hour
    })

    it('allows an owner twelve names an hour, also within one order', async () => {
      const names = Array.from({ length: 14 }, () => preview('ada'))
      const refused = await order(...names, preview('bea'))
      expect([...refused.keys()]).toEqual(names.slice(12).map(({ name }) => name))
      expect([...refused.values()][0]).toEqual({ words: '12 names an hour for one owner', until: now + hour })
      now += 7 * 24 * hour
    })

    it('counts nothing for an order that is refused', async () => {
      for (let count = 0; count < 4; count++) await order(preview(`other-${count}`))
      const waiting = preview('cleo')
      for (let count = 0; count < 6; count++) {
        const refused = (await order(waiting)).get(waiting.name)
        expect(refused).toMatchObject({ words: '4 orders an hour for previews' })
      }
      now += hour
      expect(await order(waiting)).toEqual(new Map())
      now += 7 * 24 * hour
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
