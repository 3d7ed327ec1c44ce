import { expect, test } from 'vitest'
import type { Access } from './access.ts'
import { Counter, type CounterParts } from './counter.ts'
import { Tally } from './tally.ts'

const at = Date.UTC(2026, 0, 31, 12, 30)
const browser = 'User-Agent: Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15\r\n'

const access = (change: Partial<Access> = {}): Access => ({
  at,
  projectId: 'prj_a',
  host: 'A.example.:8080',
  method: 'GET',
  target: '/',
  status: 200,
  bytes: 10,
  cache: 'HIT',
  html: true,
  peer: '203.0.113.7',
  deploymentId: undefined,
  requestId: undefined,
  ms: undefined,
  fields: browser,
  times: 1,
  source: 'static',
  taken: false,
  ...change,
})

const parts = (change: Partial<CounterParts> = {}): CounterParts => ({
  geo: { country: async address => (address === '203.0.113.7' ? 'NL' : undefined), close: () => undefined },
  saltOf: async day => `salt of ${day}`,
  isTrusted: address => address === '10.0.0.1',
  countryHeader: 'x-country',
  ...change,
})

async function count(accesses: Access[], change: Partial<CounterParts> = {}) {
  const tally = new Tally()
  const count = await new Counter(parts(change)).read(accesses)
  count(tally)
  const rows = tally.rows()
  const names = (kind: string) =>
    Object.fromEntries(rows.names.filter(row => row.kind === kind).map(row => [row.name, row.requests]))
  return { ...rows, named: names }
}

test('an entry that stands for several equal requests counts as many times', async () => {
  const { hours, named } = await count([access({ times: 3 })])
  expect(hours).toMatchObject([
    { hour: Date.UTC(2026, 0, 31, 12), requests: 3, bytes: 30, cache_hits: 3, status_2xx: 3, pageviews: 3 },
  ])
  expect(named('host')).toEqual({ 'a.example': 3 })
  expect(named('country')).toEqual({ NL: 3 })
  expect(named('view country')).toEqual({ NL: 3 })
})

test.each([
  [0, 'status_other'],
  [101, 'status_other'],
  [204, 'status_2xx'],
  [399, 'status_3xx'],
  [499, 'status_4xx'],
  [503, 'status_5xx'],
  [600, 'status_other'],
])('the status %i is one of %s', async (status, column) => {
  expect((await count([access({ status })])).hours).toMatchObject([{ requests: 1, [column]: 1 }])
})

test('a visitor is the same address with the same browser at the same project on the same day', async () => {
  const again = [
    access(),
    access({ target: '/other' }),
    access({ peer: '::ffff:203.0.113.7' }),
    access({ peer: '203.0.113.8' }),
    access({ projectId: 'prj_b' }),
    access({ fields: browser.replace('Macintosh', 'iPhone') }),
    access({ at: at + 86_400_000 }),
  ]
  const { visitors } = await count(again)
  expect(visitors).toHaveLength(5)
  expect(new Set(visitors.map(({ hash }) => hash)).size).toBe(5)
  expect(JSON.stringify(visitors)).not.toContain('203.0')
})

test('another salt makes other hashes of the same visitors', async () => {
  const [one] = (await count([access()])).visitors
  const [other] = (await count([access()], { saltOf: async () => 'another' })).visitors
  expect(one?.hash).not.toBe(other?.hash)
})

test('a proxy is believed if it is trusted: for whom it asks, and from which country', async () => {
  const fields = `${browser}X-Forwarded-For: 203.0.113.7\r\n`
  const named = async (peer: string, more = '') =>
    (await count([access({ peer, fields: fields + more })])).named('country')
  expect(await named('10.0.0.1')).toEqual({ NL: 1 })
  expect(await named('10.0.0.2')).toEqual({ XX: 1 })
  expect(await named('10.0.0.1', 'X-Country: de\r\n')).toEqual({ DE: 1 })
  expect(await named('10.0.0.2', 'X-Country: de\r\n')).toEqual({ XX: 1 })
  expect(await named('10.0.0.1', 'X-Country: unknown\r\n')).toEqual({ NL: 1 })
})

test.each([
  ['/a?secret=1', '/a'],
  ['http://a.example/b?x', '/b'],
  ['http://a.example', '/'],
  [`/${'x'.repeat(2000)}`, `/${'x'.repeat(511)}`],
])('the path of %s is kept without what it should not hold', async (target, path) => {
  expect((await count([access({ target })])).named('path')).toEqual({ [path]: 1 })
})

test.each([
  ['https://www.news.example/item?id=1', 'news.example'],
  ['https://a.example/other', undefined],
  ['https://www.a.example/other', undefined],
  [`https://${'x'.repeat(254)}/`, undefined],
  ['android-app://com.example', undefined],
  ['not a url', undefined],
  ['', undefined],
])('the referrer %s is %s', async (header, name) => {
  const { named } = await count([access({ fields: `${browser}Referer: ${header}\r\n` })])
  expect(named('view referrer')).toEqual(name === undefined ? {} : { [name]: 1 })
})

test.each([
  ['a bot', { fields: 'User-Agent: Googlebot/2.1\r\n' }],
  ['a prefetch', { fields: `${browser}Sec-Purpose: prefetch\r\n` }],
  ['a file', { html: false }],
  ['another method', { method: 'HEAD' }],
  ['a missing page', { status: 404 }],
  ['a part', { status: 206 }],
])('%s is no pageview', async (_, change) => {
  const { hours, visitors } = await count([access(change)])
  expect(hours[0]).toMatchObject({ requests: 1, pageviews: 0 })
  expect(visitors).toEqual([])
})

test('nothing is counted without the salt', async () => {
  const saltOf = () => Promise.reject(new Error('no database'))
  await expect(new Counter(parts({ saltOf })).read([access()])).rejects.toThrow('no database')
})
