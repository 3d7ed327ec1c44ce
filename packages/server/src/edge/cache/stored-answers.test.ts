// What RFC 9111 asks of an answer that a shared cache has stored, through the edge.
import { describe, expect, test } from 'vitest'
import { type Fields, useCachedApp } from './testapp.ts'

const { app, date, answering, get } = useCachedApp()

describe('a stored answer', () => {
  test('says its age, and keeps its Date', async () => {
    const made = date(-30)
    answering([
      ['Cache-Control', 's-maxage=600'],
      ['Date', made],
      ['Age', '40'],
    ])
    await get()
    app().time.now += 7_000
    expect((await get()).headers).toMatchObject({ age: '47', date: made })
  })

  test('of the cache of Next.js is fetched again soon, because the app can render it again at any time', async () => {
    const page = (cacheControl: string): Fields => [
      ['Cache-Control', cacheControl],
      ['X-Nextjs-Cache', 'HIT'],
    ]
    answering(page('s-maxage=31536000'))
    await get()
    app().time.now += 9_000
    expect((await get()).state).toBe('HIT')
    app().time.now += 2_000
    answering([['Cache-Control', 's-maxage=60']])
    expect((await get()).state).toBe('STALE')
    await expect.poll(async () => (await get()).state).toBe('HIT')
    app().next()
    answering(page('s-maxage=3, stale-while-revalidate=100'))
    await get()
    app().time.now += 102_000
    expect((await get()).state).toBe('STALE')
    app().next()
    answering(page('s-maxage=600, must-revalidate'))
    await get()
    app().time.now += 11_000
    expect((await get()).state).toBe('EXPIRED')
  })

  test('has none of the fields that its Connection names', async () => {
    answering([
      ['Connection', 'A, b'],
      ['a', '1'],
      ['B', '2'],
      ['c', '3'],
      ['Cache-Control', 's-maxage=60'],
    ])
    await get()
    const { headers, state } = await get()
    expect(state).toBe('HIT')
    expect(headers).toMatchObject({ c: '3' })
    expect(headers).not.toHaveProperty('a')
    expect(headers).not.toHaveProperty('b')
  })

  test('takes what a 304 says, but for what describes the body', async () => {
    answering([
      ['Cache-Control', 's-maxage=1'],
      ['ETag', '"a"'],
      ['Content-Type', 'text/plain'],
      ['Content-Encoding', 'identity'],
      ['X-Own', '1'],
    ])
    await get()
    app().time.now += 5_000
    answering(
      [
        ['CACHE-control', 's-maxage=60'],
        ['Etag', '"a"'],
        ['content-type', 'text/plain;charset=utf-8'],
        ['Content-Encoding', 'x'],
        ['x-own', '2'],
      ],
      304,
    )
    expect(await get()).toMatchObject({ state: 'REVALIDATED', text: 'answer 1' })
    app().time.now += 5_000
    const renewed = await get()
    expect(renewed).toMatchObject({ state: 'HIT', text: 'answer 1' })
    expect(renewed.headers).toMatchObject({
      'content-type': 'text/plain;charset=utf-8',
      'content-encoding': 'identity',
      'x-own': '2',
      age: '5',
    })
  })

  test('is asked about only by validators that are valid', async () => {
    answering([
      ['Cache-Control', 's-maxage=1'],
      ['Last-Modified', 'yesterday'],
    ])
    await get()
    app().time.now += 5_000
    await get()
    expect(app().asked[1]!.headers).not.toHaveProperty('if-modified-since')
  })

  test.each([
    ['its Last-Modified', (): Fields => [['Last-Modified', date(-100)]], -100],
    ['its Date, if it has no Last-Modified', (): Fields => [['Date', date(0)]], 0],
  ])('is compared with If-Modified-Since by %s', async (_, fields, seconds) => {
    answering([['Cache-Control', 's-maxage=60'], ...fields()])
    await get()
    expect((await get({ 'if-modified-since': date(seconds) })).status).toBe(304)
    expect((await get({ 'if-modified-since': date(seconds - 1) })).status).toBe(200)
    expect((await get({ 'if-modified-since': date(seconds).replace('GMT', 'UTC') })).status).toBe(200)
  })

  test.each(['if-match', 'if-unmodified-since'])(
    'does not stand in for the app where %s asks it',
    async name => {
      answering([
        ['Cache-Control', 's-maxage=60'],
        ['ETag', '"a"'],
      ])
      await get()
      const value = name === 'if-match' ? '"b"' : date(-1000)
      expect(await get({ [name]: value })).toMatchObject({ state: 'BYPASS', text: 'answer 2' })
      expect(app().asked[1]!.headers).toMatchObject({ [name]: value })
      expect((await get()).text).toBe('answer 1')
    },
  )
})
