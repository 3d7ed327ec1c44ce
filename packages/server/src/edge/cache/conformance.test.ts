// What RFC 9111 and RFC 9213 ask of a shared cache, case by case, through the edge.
import { describe, expect, test } from 'vitest'
import { type Fields, useCachedApp } from './testapp.ts'

const { app, date, answering, get } = useCachedApp()

describe('a fresh answer is sent again', () => {
  const far = 'Thu, 18 Aug 2050 02:01:18 GMT'
  test.each<[string, Fields]>([
    ['by s-maxage', [['Cache-Control', 's-maxage=60']]],
    ['whatever the case of its directives', [['CACHE-CONTROL', 'PuBlIc, MaX-aGe=60']]],
    [
      'with several lines of directives',
      [
        ['Cache-Control', 'public'],
        ['Cache-Control', 'max-age=60'],
      ],
    ],
    ['with a quoted number', [['Cache-Control', 's-maxage="60"']]],
    ['with leading zeros', [['Cache-Control', 's-maxage=0060']]],
    ['with directives that nobody knows', [['Cache-Control', 'x="private, no-store", s-maxage=60, y']]],
    ['longer than 32 bits can count', [['Cache-Control', 's-maxage=99999999999']]],
    [
      'with a past Expires and a number of seconds',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Expires', '0'],
      ],
    ],
    ['with s-maxage above max-age=0', [['Cache-Control', 'max-age=0, s-maxage=60']]],
    [
      'by Expires',
      [
        ['Cache-Control', 'public'],
        ['Expires', far],
      ],
    ],
    [
      'by Expires of RFC 850',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thursday, 18-Aug-50 02:01:18 GMT'],
      ],
    ],
    [
      'by Expires of asctime',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu Aug  8 02:01:18 2050'],
      ],
    ],
    [
      'by Expires beside a Date that is none',
      [
        ['Cache-Control', 'public'],
        ['Expires', far],
        ['Date', 'foo'],
      ],
    ],
    [
      'with an Age that is not a number',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Age', 'abc'],
      ],
    ],
    [
      'with a negative Age',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Age', '-7200'],
      ],
    ],
    [
      'with two Ages, of which the first counts',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Age', '0'],
        ['Age', '99'],
      ],
    ],
    ['by CDN-Cache-Control', [['CDN-Cache-Control', 'max-age=60']]],
    [
      'by CDN-Cache-Control, even with no-store',
      [
        ['CDN-Cache-Control', 'max-age=60'],
        ['Cache-Control', 'no-store'],
      ],
    ],
    [
      'by CDN-Cache-Control, even with a past Expires',
      [
        ['CDN-Cache-Control', 'max-age=60'],
        ['Expires', '0'],
      ],
    ],
    ['by CDN-Cache-Control with more in it', [['CDN-Cache-Control', 'foo=(1 2);a, max-age=60;b']]],
    [
      'by CDN-Cache-Control in two lines',
      [
        ['CDN-Cache-Control', 'foo'],
        ['CDN-Cache-Control', 'max-age=60'],
      ],
    ],
    [
      'by Cache-Control if CDN-Cache-Control is empty',
      [
        ['CDN-Cache-Control', ''],
        ['Cache-Control', 's-maxage=60'],
      ],
    ],
  ])('%s', async (_, fields) => {
    answering(fields)
    await get()
    app().time.now += 5_000
    expect(await get()).toMatchObject({ state: 'HIT', text: 'answer 1' })
  })
})

describe('an answer is not sent again', () => {
  test.each<[string, Fields]>([
    ['that is Private', [['Cache-Control', 'Private, max-age=60, stale-while-revalidate=60']]],
    ['that says No-Store', [['Cache-Control', 'No-Store, s-maxage=60']]],
    ['that says NO-CACHE', [['Cache-Control', 's-maxage=60, NO-CACHE']]],
    ['that is private in some fields', [['Cache-Control', 's-maxage=60, private="x-user"']]],
    [
      'that says private in a second line',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Cache-Control', 'PRIVATE'],
      ],
    ],
    ['with an open quote', [['Cache-Control', 's-maxage=60, x="y, private']]],
    ['with a negative number', [['Cache-Control', 's-maxage=-60']]],
    ['with half a second', [['Cache-Control', 's-maxage=60.5']]],
    ['with a number in single quotes', [['Cache-Control', "s-maxage='60'"]]],
    ['with a number that ends in letters', [['Cache-Control', 's-maxage=60a']]],
    ['with a space before the number', [['Cache-Control', 's-maxage= 60']]],
    ['with two numbers, of which one is 0', [['Cache-Control', 's-maxage=60, s-maxage=0']]],
    [
      'with max-age=0 and a future Expires',
      [
        ['Cache-Control', 'public, max-age=0'],
        ['Expires', 'Thu, 18 Aug 2050 02:01:18 GMT'],
      ],
    ],
    ['with s-maxage below max-age', [['Cache-Control', 'public, max-age=60, s-maxage=1']]],
    [
      'that is older than its time',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Age', '7200'],
      ],
    ],
    [
      'that is older than its time by the first of two Ages',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Age', '7200, 0'],
      ],
    ],
    [
      'with Expires: 0',
      [
        ['Cache-Control', 'public'],
        ['Expires', '0'],
      ],
    ],
    [
      'with Expires: -1',
      [
        ['Cache-Control', 'public'],
        ['Expires', '-1'],
      ],
    ],
    [
      'with Expires in UTC',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu, 18 Aug 2050 02:01:18 UTC'],
      ],
    ],
    [
      'with Expires of two digits',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu, 18 Aug 50 02:01:18 GMT'],
      ],
    ],
    [
      'with Expires without a comma',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu 18 Aug 2050 02:01:18 GMT'],
      ],
    ],
    [
      'with Expires with too many spaces',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu, 18  Aug 2050 02:01:18 GMT'],
      ],
    ],
    [
      'with Expires with dashes',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu, 18-Aug-2050 02:01:18 GMT'],
      ],
    ],
    [
      'with Expires with an hour of one digit',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu, 18 Aug 2050 2:01:18 GMT'],
      ],
    ],
    [
      'with two Expires',
      [
        ['Cache-Control', 'public'],
        ['Expires', 'Thu, 18 Aug 2050 02:01:18 GMT'],
        ['Expires', 'Thu, 18 Aug 2050 02:01:19 GMT'],
      ],
    ],
    [
      'that CDN-Cache-Control makes private',
      [
        ['CDN-Cache-Control', 'private'],
        ['Cache-Control', 's-maxage=60'],
      ],
    ],
    [
      'that CDN-Cache-Control forbids to store',
      [
        ['CDN-Cache-Control', 'no-store'],
        ['Cache-Control', 's-maxage=60'],
      ],
    ],
    [
      'that CDN-Cache-Control wants validated',
      [
        ['CDN-Cache-Control', 'no-cache'],
        ['Cache-Control', 's-maxage=60'],
      ],
    ],
    [
      'that CDN-Cache-Control makes stale',
      [
        ['CDN-Cache-Control', 'max-age=1'],
        ['Cache-Control', 's-maxage=60'],
      ],
    ],
    [
      'whose CDN-Cache-Control is malformed',
      [
        ['CDN-Cache-Control', 'max-age=60, &&'],
        ['Cache-Control', 'no-store'],
      ],
    ],
    ['whose CDN-Cache-Control is in upper case', [['CDN-Cache-Control', 'Max-Age=60']]],
    ['whose CDN-Cache-Control has no number', [['CDN-Cache-Control', 'max-age="60"']]],
    [
      'that varies by anything',
      [
        ['Cache-Control', 's-maxage=60'],
        ['Vary', 'Accept'],
        ['vary', ' * '],
      ],
    ],
  ])('%s', async (_, fields) => {
    answering(fields)
    await get()
    app().time.now += 5_000
    expect(await get()).toMatchObject({ text: 'answer 2' })
  })

  test('that was made longer ago than it is good for, by its Date', async () => {
    answering([
      ['Cache-Control', 's-maxage=60'],
      ['Date', date(-7200)],
    ])
    await get()
    expect((await get()).text).toBe('answer 2')
  })

  test('to a request with credentials that CDN-Cache-Control says nothing about', async () => {
    answering([['CDN-Cache-Control', 'max-age=60']])
    await get({ authorization: 'Basic eDp5' })
    expect((await get()).text).toBe('answer 2')
  })

  test.each([206, 400, 401, 416, 429, 500, 502, 503])('of the status %i', async status => {
    answering([['Cache-Control', 's-maxage=60']], status)
    await get()
    expect((await get()).text).toBe('answer 2')
  })
})

test('CDN-Cache-Control goes on to the visitor: there may be further caches on the way', async () => {
  answering([
    ['CDN-Cache-Control', 'max-age=60'],
    ['Cache-Control', 'max-age=5'],
  ])
  for (const state of ['MISS', 'HIT'])
    expect(await get()).toMatchObject({
      state,
      headers: { 'cdn-cache-control': 'max-age=60', 'cache-control': 'max-age=5' },
    })
})
