import { afterEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from './testapp.ts'

let bed: TestApp

afterEach(() => bed.stop())

/** An app that answers with these header fields; `PORT` in a value is the app's own port. */
async function answering(status: number, fields: Record<string, string | string[]>, trust = false) {
  const own = (value: string) => value.replaceAll('PORT', String(bed.apps.address.port))
  bed = await startTestApp(
    (_req, res) => {
      const entries = Object.entries(fields).flatMap(([name, values]) =>
        [values].flat().map(value => [name, own(value)]),
      )
      res.writeHead(status, entries.flat()).end()
    },
    {},
    { isTrusted: () => trust },
  )
}

const site = 'http://shop.example.test:8080'
const ask = (path = '/', headers: Record<string, string> = {}) =>
  bed.ask('shop.example.test:8080', path, { headers })

describe('a Location with the host and port of the app', () => {
  test.each([
    ['http://localhost:PORT/login?from=%2Fa#b', '/login?from=%2Fa#b'],
    ['https://localhost:PORT/login', '/login'],
    ['HTTP://LocalHost:PORT/login', '/login'],
    ['http://127.0.0.1:PORT/login', '/login'],
    ['http://0.0.0.0:PORT/login', '/login'],
    ['http://[::1]:PORT/login', '/login'],
    ['http://[::]:PORT/login', '/login'],
    ['//localhost:PORT/login', '/login'],
    ['http://localhost:PORT', ''],
    ['http://localhost:PORT?a=1', '?a=1'],
  ])('%s becomes one of the site', async (location, expected) => {
    await answering(307, { location })
    expect((await ask()).headers.location).toBe(site + expected)
  })

  test.each([
    'http://localhost:1/login',
    'http://localhost/login',
    'http://localhost:PORT0/login',
    'http://localhost:PORT@evil.test/',
    'http://me@localhost:PORT/',
    'http://localhost.evil.test:PORT/',
    'http://localhost:PORT.evil.test/',
    'http://localhost:PORT\\@evil.test/',
    'ftp://localhost:PORT/',
    'http://192.0.2.7:PORT/',
    'https://elsewhere.test/?next=http://localhost:PORT/',
    '/login?next=http://localhost:PORT/',
    'login',
    '',
  ])('is told from %s, which stays as it is', async location => {
    await answering(307, { location })
    const expected = location.replaceAll('PORT', String(bed.apps.address.port))
    expect((await ask()).headers.location).toBe(expected)
  })

  test('is known by the port that the app was told, where it is reached by another', async () => {
    await answering(302, { location: 'http://localhost:3000/told' })
    bed.apps.address = { ...bed.apps.address, appPort: 3000 }
    expect((await ask()).headers.location).toBe(`${site}/told`)
  })

  test('and with the address that the app is reached by becomes one of the site', async () => {
    await answering(302, { location: 'http://127.0.0.1:PORT/reached' })
    bed.apps.address = { ...bed.apps.address, appPort: 3000 }
    expect((await ask()).headers.location).toBe(`${site}/reached`)
  })

  test('becomes one of the origin that a trusted proxy was asked for', async () => {
    await answering(302, { location: 'http://localhost:PORT/login' }, true)
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'www.shop.test' }
    expect((await ask('/', forwarded)).headers.location).toBe('https://www.shop.test/login')
  })

  test('becomes one of the host that each visitor asked for, also from the cache', async () => {
    await answering(301, { location: 'http://localhost:PORT/new', 'cache-control': 's-maxage=60' })
    for (const state of ['MISS', 'HIT'])
      for (const host of ['shop.example.test', 'shop.example.test:8080']) {
        const { headers } = await bed.ask(host, '/old')
        expect([headers['x-svc-cache'], headers.location]).toEqual([state, `http://${host}/new`])
      }
  })

  test('also in answers that are no redirects, with and without a cache', async () => {
    const location = 'http://localhost:PORT/orders/1'
    await answering(201, { location, 'content-location': location })
    for (const method of ['GET', 'POST']) {
      const { headers } = await bed.ask('shop.example.test:8080', '/orders', { method })
      expect([headers.location, headers['content-location']]).toEqual(Array(2).fill(`${site}/orders/1`))
    }
  })
})

describe('a Refresh with the host and port of the app', () => {
  test.each([
    ['5; url=http://localhost:PORT/x', `5; url=${site}/x`],
    ['0;URL=http://127.0.0.1:PORT/x', `0;URL=${site}/x`],
    [`1.5 ; Url = 'http://localhost:PORT/x'`, `1.5 ; Url = '${site}/x'`],
    ['3, url="https://[::1]:PORT"', `3, url="${site}"`],
    ['0; http://localhost:PORT/x', `0; ${site}/x`],
    ['5', '5'],
    ['5; url=/x?u=http://localhost:PORT/', '5; url=/x?u=http://localhost:PORT/'],
    ['5; url=http://localhost:1/x', '5; url=http://localhost:1/x'],
  ])('%s is %s', async (refresh, expected) => {
    await answering(200, { refresh })
    expect((await ask()).headers.refresh).toBe(expected.replaceAll('PORT', String(bed.apps.address.port)))
  })

  test('is rewritten in one pass, however long its spaces are', async () => {
    await answering(200, { refresh: `5${' '.repeat(7_000)};${' '.repeat(7_000)}x` })
    expect((await ask()).status).toBe(200)
  })
})

test('other header fields keep the URLs that the app wrote', async () => {
  await answering(200, {
    link: '<http://localhost:PORT/a.css>; rel=preload',
    'x-url': 'http://localhost:PORT/',
  })
  const { port } = bed.apps.address
  expect((await ask()).headers).toMatchObject({
    link: `<http://localhost:${port}/a.css>; rel=preload`,
    'x-url': `http://localhost:${port}/`,
  })
})
