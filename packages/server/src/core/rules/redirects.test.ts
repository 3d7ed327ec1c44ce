import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRedirects } from './redirects.ts'

const rulesOf = (text: string) => {
  const { redirects, warnings } = readRedirects(text)
  expect(warnings).toEqual([])
  return redirects
}

describe('a _redirects rule', () => {
  it.each([
    ['/old /new', '/old', '', '301 /new'],
    ['/old /new', '/old/', '', '301 /new'],
    ['/old/ /new 302', '/old', '', '302 /new'],
    ['/old /new', '/other', '', undefined],
    ['/a /b?x=1 307', '/a', 'y=2', '307 /b?x=1'],
    ['/a /b 308', '/a', 'y=2&z=%20', '308 /b?y=2&z=%20'],
    ['/a /b#top', '/a', 'y=2', '301 /b?y=2#top'],
    ['/a https://example.com/x 303', '/a', '', '303 https://example.com/x'],
    ['/blog/:year/:slug /posts/:slug?y=:year', '/blog/2024/hello', '', '301 /posts/hello?y=2024'],
    ['/blog/:slug /posts/:slug', '/blog/a/b', '', undefined],
    ['/news/* /archive/:splat', '/news/a/b', '', '301 /archive/a/b'],
    ['/news/* /archive/:splat', '/news', '', '301 /archive/'],
    ['/news/* /archive/:splat', '/newsletter', '', undefined],
    ['/* /index.html 200', '/any/thing', '', '200 /index.html'],
    ['/app/* /404-app.html 404', '/app/x', '', '404 /404-app.html'],
    ['/store id=:id /item/:id', '/store', 'id=7', '301 /item/7?id=7'],
    ['/store id=:id /item/:id', '/store', '', undefined],
    ['/store kind=shoe /shoes 302', '/store', 'kind=hat', undefined],
    ['/a /b 301!', '/a', '', '301 /b !'],
    ['/colon:inside /x', '/colon:inside', '', '301 /x'],
    ['/a /b # why', '/a', '', '301 /b'],
    ['/* /:splat 302', '//evil.example', '', '302 /evil.example'],
    ['/go/* /:splat 302', '/go//evil.example', '', '302 /evil.example'],
    ['/x/:name /y/:name', '/x/ä b', '', '301 /y/%C3%A4%20b'],
    ['/x/:name /y/:name 200', '/x/ä b', '', '200 /y/%C3%A4%20b'],
    ['/x /日本 302', '/x', '', '302 /%E6%97%A5%E6%9C%AC'],
    ['/日本 /x', '/日本', '', '301 /x'],
    ['/a%20b/* /x', '/a b/c', '', '301 /x'],
    ['/100% /x', '/100%', '', '301 /x'],
    ['/x/:name /y/:constructor', '/x/a', '', '301 /y/:constructor'],
  ])('%j answers %j?%j with %j', (line, path, query, expected) => {
    const found = rulesOf(line).match(path, query)
    expect(found && `${found.status} ${found.to}${found.force ? ' !' : ''}`).toBe(expected)
  })

  it.each([
    ['/only-a-path', 'a target is missing'],
    ['no-slash /x', 'must begin with /'],
    ['https://other.example/* /x', 'other hosts'],
    ['/a/*/b /x', '* is allowed only at the end'],
    ['/:a/:a /x', 'used twice'],
    ['/a /b 418', "the status '418'"],
    ['/a /b 301 Country=nl', "'Country=nl' is not supported"],
    ['/a ftp://x', 'must begin with / or http'],
    ['/a //evil.example', 'must begin with / or http'],
    ['/a https://example.com 200', 'nothing is proxied'],
    ['/a /a', 'the path itself'],
    ['/a /a/ 302', 'the path itself'],
    [`/${'x'.repeat(1001)} /y`, 'longer than 1000'],
  ])('%j is reported with its line', (line, words) => {
    const { redirects, warnings } = readRedirects(`# first\n${line}\n`)
    expect(redirects.isEmpty).toBe(true)
    expect(warnings).toEqual([expect.stringMatching(/^_redirects line 2: /)])
    expect(warnings[0]).toContain(words)
  })
})

describe('a _redirects file', () => {
  it('lets the first match win, whatever the kinds of its rules', () => {
    const redirects = rulesOf('/a/x /one\n/a/* /two\n/a/y /three\n/a/z /four')
    expect(redirects.match('/a/x', '')?.to).toBe('/one')
    expect(redirects.match('/a/y', '')?.to).toBe('/two')
  })

  it('passes over a rule where it would send a visitor round in circles', () => {
    const redirects = rulesOf('/closed /index.html 302!\n/* /closed 302!\n/a/* /:splat')
    expect(redirects.match('/anything', '')?.to).toBe('/closed')
    expect(redirects.match('/closed', '')?.to).toBe('/index.html')
    const all = rulesOf('/* /closed 302!\n/caf%C3%A9/* /caf%C3%A9/:splat 301')
    expect(all.match('/closed', '')).toBeUndefined()
    expect(all.match('/closed', 'a=1')).toBeUndefined()
    expect(all.match('/Closed', '')?.to).toBe('/closed')
    expect(rulesOf('/caf%C3%A9/* /caf%C3%A9/:splat 301').match('/café/x', '')).toBeUndefined()
    expect(rulesOf('/a/* /a/:splat?b=1').match('/a/x', '')?.to).toBe('/a/x?b=1')
    expect(rulesOf('/a/* /a/:splat?b=1').match('/a/x', 'b=1')).toBeUndefined()
  })

  it('only sends visitors elsewhere where an app answers', () => {
    const text = '/a /b 302\n/c /d 200\n/e /f 404'
    const { redirects, warnings } = readRedirects(text, { isServer: true })
    expect(redirects.match('/a', '')).toMatchObject({ status: 302, to: '/b' })
    expect(redirects.match('/c', '')).toBeUndefined()
    expect(warnings).toEqual([
      '_redirects line 2: a 200 is for static sites: in a server deployment the app answers',
      '_redirects line 3: a 404 is for static sites: in a server deployment the app answers',
    ])
  })

  it('takes 2,000 static and 100 dynamic rules and reports the others', () => {
    const lines = [
      ...Array.from({ length: 2001 }, (_, i) => `/s${i} /t`),
      ...Array.from({ length: 101 }, (_, i) => `/d${i}/* /t`),
    ]
    const { redirects, warnings } = readRedirects(lines.join('\r\n'))
    expect(warnings).toHaveLength(2)
    expect(redirects.match('/s1999', '')?.to).toBe('/t')
    expect(redirects.match('/s2000', '')).toBeUndefined()
    expect(redirects.match('/d100/x', '')).toBeUndefined()
  })

  it('never fails, and never sends a path of this site to another host', () => {
    const word = fc.oneof(
      fc.constantFrom('/', '*', ':a', ':splat', '301', '200!', '//', '\\', 'x=:y', '#'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word), fc.webPath(), fc.string(), (words, path, query) => {
        const { redirects } = readRedirects(`${words.join(' ')}\n/* /:splat 302`)
        const found = redirects.match(path || '/', query)
        if (found?.to.startsWith('/')) expect(found.to).not.toMatch(/^\/[/\\]/)
      }),
    )
  })
})
