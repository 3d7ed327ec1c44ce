import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRedirects } from './redirects.ts'

const asked = (path: string, query = '', host = 'site.example') => ({
  path: path.replaceAll('%2F', '/'),
  slashed: path.includes('%2F') ? path.replaceAll('%2F', '\0') : undefined,
  query: query === '' ? '' : `?${query}`,
  host,
})

const rulesOf = (text: string) => {
  const { redirects, warnings } = readRedirects(text)
  expect(warnings()).toEqual([])
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
    ['/* /:splat?a=1 302', '//evil.example', '', '302 /evil.example?a=1'],
    ['/go/* /:splat 302', '/go//evil.example', '', '302 /evil.example'],
    ['/x/:name /y/:name', '/x/ä b', '', '301 /y/%C3%A4%20b'],
    ['/x/:name /y/:name 200', '/x/ä b', '', '200 /y/%C3%A4%20b'],
    ['/x /日本 302', '/x', '', '302 /%E6%97%A5%E6%9C%AC'],
    ['/日本 /x', '/日本', '', '301 /x'],
    ['/a%20b/* /x', '/a b/c', '', '301 /x'],
    ['/%40ann /x', '/@ann', '', '301 /x'],
    ['/@:user /u/:user', '/@ann', '', '301 /u/ann'],
    ['/u/:id.html /x/:id', '/u/7.html', '', '301 /x/7'],
    ['/:a-:b /:b/:a', '/x-y', '', '301 /y/x'],
    ['/*.php /:splat', '/a/b.php', '', '301 /a/b'],
    ['/a/*/z /b/:splat', '/a/x/y/z', '', '301 /b/x/y'],
    ['/p/:code/:name/* /p?j=:splat&n=:name', '/p/1/bike/123abc@~!', '', '301 /p?j=123abc@~!&n=bike'],
    ['/p/:name /q?n=:name', '/p/a&b=c', '', '301 /q?n=a%26b%3Dc'],
    ['/p/* /q/:splat', '/p/a%2Fb', '', '301 /q/a%2Fb'],
    ['/p/:x /q/:x', '/p/a%2Fb', '', '301 /q/a%2Fb'],
    ['/p/* /q/:splat 200', '/p/a%2Fb', '', '200 /q/a%2Fb'],
    ['/secret/* /login 302!', '/secret%2Fplan', '', '302 /login !'],
    ['/a /b##x-1 302', '/a', '', '302 /b##x-1'],
    ['/a https://example.com/b##x-1 302', '/a', 'y=2', '302 https://example.com/b?y=2##x-1'],
    ['/a?id=:id /b/:id', '/a', 'id=5', '301 /b/5?id=5'],
    ['/a?id=:id /b/:id', '/a', '', undefined],
    ['/c?this=ignored /d', '/c', '', '301 /d'],
    ['/c?this=ignored /d', '/c', 'this=other', '301 /d?this=other'],
    ['/c?this=known /d 301!', '/c', '', undefined],
    ['/c#top /d', '/c', '', '301 /d'],
    ['/a id=:id /b/:id', '/a', 'id=x/y', '301 /b/x%2Fy?id=x/y'],
    ['/a id=:id /b?x=:id', '/a', 'id=x%26y', '301 /b?x=x%26y'],
    [
      '/ _escaped_fragment_=/about /about',
      '/',
      '_escaped_fragment_=/about',
      '301 /about?_escaped_fragment_=/about',
    ],
    ['/x/* 200', '/x/y', '', '200 /x/y'],
    ['/x/* 200!', '/x/y', '', '200 /x/y !'],
    ['/a /b 302 # why Country=nl', '/a', '', '302 /b'],
    ['/a /b #why', '/a', '', '301 /b'],
    [`/a /b # ${'why '.repeat(1000)}`, '/a', '', '301 /b'],
    [`/${'x'.repeat(1500)} /y`, `/${'x'.repeat(1500)}`, '', '301 /y'],
    ['https://site.example/* https://new.example/:splat', '/a', '', '301 https://new.example/a'],
    ['http://:sub.example/a /:sub', '/a', '', '301 /site'],
    ['https://other.example/* /x', '/a', '', undefined],
    ['\uFEFF/a /b', '/a', '', '301 /b'],
    ['/100% /x', '/100%', '', '301 /x'],
    ['/x/:name /y/:constructor', '/x/a', '', '301 /y/:constructor'],
  ])('%j answers %j?%j with %j', (line, path, query, expected) => {
    const found = rulesOf(line).match(asked(path, query))
    expect(found && `${found.status} ${found.to}${found.force ? ' !' : ''}`).toBe(expected)
  })

  it.each([
    ['/only-a-path', 'the target is missing'],
    ['no-slash /x', 'must begin with /'],
    ['https://other.example:8080/* /x', 'a port'],
    ['https:///x /y', 'the host is missing'],
    ['/*/* /x', 'one * only'],
    ['/a #/b', 'the target is missing'],
    ['/a 301', 'the target is missing'],
    ['/a id=1', 'the target is missing'],
    ['/a /b Country=nl', "'Country=nl' is not supported"],
    ['/a /b 302 !important', "'!important' after the status"],
    ['/a/* /a/:splat', 'every path to itself'],
    ['/:a/:a /x', 'used twice'],
    ['/a /b 418', "the status '418'"],
    ['/a /b 301 Country=nl', "'Country=nl' is not supported"],
    ['/a ftp://x', 'must begin with / or http'],
    ['/a //evil.example', 'must begin with / or http'],
    ['/a https://example.com 200', 'nothing is proxied'],
    ['/a /a', 'its path to itself'],
    ['/a /a/ 302', 'its path to itself'],
    ['/a?b=1 /a', 'its path to itself'],
    [`/${'x'.repeat(2001)} /y`, 'longer than 2000'],
  ])('%j is reported with its line', (line, words) => {
    const { redirects, warnings } = readRedirects(`# first\n${line}\n`)
    expect(redirects.match(asked('/a'))).toBeUndefined()
    const list = warnings()
    expect(list).toEqual([expect.stringMatching(/^_redirects line 2: .*(?:ignored|no effect)\.$/)])
    expect(list[0]).toContain(words)
  })
})

describe('a _redirects file', () => {
  it('lets the first match win, whatever the kinds of its rules', () => {
    const { redirects, warnings } = readRedirects('/a/x /one\n/a/* /two\n/a/y /three\n/a/z /four')
    expect(warnings()).toEqual([
      '_redirects line 3: the rule never applies: line 2 matches its paths first. It has no effect.',
      '_redirects line 4: the rule never applies: line 2 matches its paths first. It has no effect.',
    ])
    expect(redirects.match(asked('/a/x', ''))?.to).toBe('/one')
    expect(redirects.match(asked('/a/y', ''))?.to).toBe('/two')
  })

  it('passes over a rule where it would send a visitor round in circles', () => {
    const redirects = rulesOf('/closed /index.html 302!\n/* /closed 302!')
    expect(redirects.match(asked('/anything', ''))?.to).toBe('/closed')
    expect(redirects.match(asked('/closed', ''))?.to).toBe('/index.html')
    const all = rulesOf('/* /closed 302!')
    expect(all.match(asked('/closed', ''))).toBeUndefined()
    expect(all.match(asked('/closed', 'a=1'))).toBeUndefined()
    expect(all.match(asked('/Closed', ''))?.to).toBe('/closed')
    const cafe = rulesOf('/caf%C3%A9/* /caf%C3%A9/:splat?b=ä')
    expect(cafe.match(asked('/café/x', ''))?.to).toBe('/caf%C3%A9/x?b=%C3%A4')
    expect(cafe.match(asked('/café/x', 'b=%C3%A4'))).toBeUndefined()
    const moved = rulesOf(
      '/* https://site.example/:splat 301!\nhttp://old.example/* https://Site.example:443/:splat',
    )
    expect(moved.match(asked('/a', 'b=1'))).toBeUndefined()
    expect(moved.match(asked('/', '', 'old.example'))?.to).toBe('https://site.example/')
    expect(rulesOf('/a/* /a/:splat?b=1').match(asked('/a/x', ''))?.to).toBe('/a/x?b=1')
    expect(rulesOf('/a/* /a/:splat?b=1').match(asked('/a/x', 'b=1'))).toBeUndefined()
  })

  it('only sends visitors elsewhere where an app answers', () => {
    const text = '/a /b 302\n/c /d 200\n/e /f 404'
    const { redirects, warnings } = readRedirects(text, { isServer: true })
    expect(redirects.match(asked('/a', ''))).toMatchObject({ status: 302, to: '/b' })
    expect(redirects.match(asked('/c', ''))).toBeUndefined()
    expect(warnings()).toEqual([
      '_redirects line 2: a 200 is for static sites: in a server deployment the app answers. The rule is ignored.',
      '_redirects line 3: a 404 is for static sites: in a server deployment the app answers. The rule is ignored.',
    ])
  })

  it('takes 2,000 static and 100 dynamic rules and reports the others', () => {
    const lines = [
      ...Array.from({ length: 2001 }, (_, i) => `/s${i} /t`),
      ...Array.from({ length: 101 }, (_, i) => `/d${i}/* /t`),
    ]
    const { redirects, warnings } = readRedirects(lines.join('\r\n'))
    expect(warnings()).toEqual([
      '_redirects line 2001: there are more than 2000 static rules. The rule is ignored.',
      '_redirects line 2102: there are more than 100 dynamic rules. The rule is ignored.',
    ])
    expect(redirects.match(asked('/s1999', ''))?.to).toBe('/t')
    expect(redirects.match(asked('/s2000', ''))).toBeUndefined()
    expect(redirects.match(asked('/d100/x', ''))).toBeUndefined()
  })

  it('prefers a rule whose query matches to one that only has the path', () => {
    const redirects = rulesOf('/index.php?p=5 /five\n/index.php?p=6 /six\n/page?x=1 /one\n/page /other')
    expect(redirects.match(asked('/index.php', 'p=6'))?.to).toBe('/six?p=6')
    expect(redirects.match(asked('/index.php', 'p=7'))?.to).toBe('/five?p=7')
    expect(redirects.match(asked('/page'))?.to).toBe('/other')
  })

  it.each([
    ['/a /b\n/a/ /c', 2, 1],
    ['/* /index.html 200\n/old /new', 2, 1],
    ['/* /index.html 200\n/blog/* /posts/:splat', 2, 1],
    ['/blog/* /posts/:splat\n/blog/:year/x /y', 2, 1],
    ['/:page /x/:page\n/about id=1 /y', 2, 1],
    ['/a /b\nhttps://site.example/a /c', 2, 1],
  ])('%j: line %i never applies because of line %i', (text, line, because) => {
    expect(readRedirects(text).warnings()).toEqual([
      `_redirects line ${line}: the rule never applies: line ${because} matches its paths first. It has no effect.`,
    ])
  })

  it.each([
    '/a id=1 /b\n/a /c',
    '/a?id=1 /b\n/a /c',
    'https://site.example/a /b\n/a /c',
    '/blog/:slug /posts/:slug\n/blog/* /archive/:splat',
    '/blog/ /x\n/blog/* /archive/:splat',
    '/* /closed 302!\n/closed /index.html 200',
  ])('%j: every rule has its paths', text => {
    expect(readRedirects(text).warnings()).toEqual([])
  })

  it('makes no address that is longer than the head of an answer', () => {
    const path = `/${'x'.repeat(8_000)}`
    expect(rulesOf(`/* /a?b=1${'&c=:splat'.repeat(200)}`).match(asked(path))).toBeUndefined()
    expect(rulesOf('/* /a/:splat').match(asked(path))?.to).toBe(`/a${path}`)
  })

  it('reads and matches files made to be slow', () => {
    const long = 'a'.repeat(450)
    const lines = [
      ...Array.from({ length: 100 }, (_, i) => `/r${i}/:x-${long}:y-${long}:z /t`),
      ...Array.from({ length: 2_000 }, (_, i) => `/${long}${i} /t`),
    ]
    const { redirects, warnings } = readRedirects(lines.join('\n'))
    expect(warnings()).toEqual([])
    for (let i = 0; i < 10; i++)
      expect(redirects.match(asked(`/r${i}/${'a'.repeat(16_000)}`))).toBeUndefined()
    expect(readRedirects('/'.repeat(1_000_000)).warnings()).toHaveLength(1)
    expect(readRedirects('x \n'.repeat(300_000)).warnings()).toHaveLength(51)
  })

  it('never fails, and never sends a path of this site to another host', () => {
    const word = fc.oneof(
      fc.constantFrom('/', '*', ':a', ':splat', '301', '200!', '//', '\\', 'x=:y', '#'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word), fc.webPath(), fc.string(), (words, path, query) => {
        const { redirects } = readRedirects(`${words.join(' ')}\n/* /:splat 302`)
        const found = redirects.match(asked(path || '/', query))
        if (found?.to.startsWith('/')) expect(found.to).not.toMatch(/^\/[/\\]/)
      }),
    )
  })
})

it('only the first 10,000 lines are read, and the rest is not dropped without a word', () => {
  const { redirects, warnings } = readRedirects(`${'# nothing\n'.repeat(10_000)}/late /b`)
  expect(redirects.isEmpty).toBe(true)
  expect(warnings()).toEqual([
    '_redirects line 10001: there are more than 10000 lines. This one and all after it are ignored.',
  ])
})
