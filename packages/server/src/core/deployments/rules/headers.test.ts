import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHeaders } from './headers.ts'

const asked = (path: string, host = 'site.example') => ({ path, query: '', host })

const rulesOf = (text: string) => {
  const { headers, warnings } = readHeaders(text)
  expect(warnings).toEqual([])
  return headers
}

describe('_headers', () => {
  it('applies every rule that matches, in the order of the file', () => {
    const headers = rulesOf(`
# all
/*
  X-Frame-Options: DENY
  Link: </a.css>; rel=preload

/blog/:slug
  X-Slug: :slug
  ! X-Frame-Options
/blog/hello/
  Cache-Control: public, max-age=60
`)
    expect(headers.match(asked('/'))).toEqual([
      { name: 'x-frame-options', value: 'DENY' },
      { name: 'link', value: '</a.css>; rel=preload' },
    ])
    expect(headers.match(asked('/blog/hello')).slice(2)).toEqual([
      { name: 'x-slug', value: 'hello' },
      { name: 'x-frame-options', remove: true },
      { name: 'cache-control', value: 'public, max-age=60' },
    ])
  })

  it.each([
    [
      'indentation makes no difference',
      '     /a\nX-A: b\n\n# why\n      X-B    :    c:d   ',
      '/a',
      'x-a=b x-b=c:d',
    ],
    ['a byte order mark is skipped', '\uFEFF/a\n  X-A: b', '/a', 'x-a=b'],
    ['lines may end as on Windows', '/a\r\n  X-A: b\r\n\r\n', '/a', 'x-a=b'],
    ['a name may begin with !', '/a\n  !Name: b', '/a', '!name=b'],
    ['a path may have spaces', '/some page\n  X-A: b', '/some page', 'x-a=b'],
    ['a path may be escaped', '/some%20page\n  X-A: b', '/some page', 'x-a=b'],
    ['a path may have odd characters', '/nons:/&@%+~{}ense\n  X-A: b', '/nons:/&@%+~{}ense', 'x-a=b'],
    ['a path may begin with two slashes', '//a.example/b\n  X-A: b', '//a.example/b', 'x-a=b'],
    ['* may stand before an extension', '/*.js\n  X-A: b', '/x/y.js', 'x-a=b'],
    ['* may stand in the middle', '/a/*/b\n  X-A: :splat', '/a/x/y/b', 'x-a=x/y'],
    ['* may stand more than once', '/a/*/b/*\n  X-A: b', '/a/x/b/y', 'x-a=b'],
    ['a placeholder may stand anywhere', '/:id/x/@:user\n  X-A: :id :user', '/7/x/@ann', 'x-a=7 ann'],
    ['a host of the site may be named', 'https://site.example/*\n  X-A: b', '/a', 'x-a=b'],
    ['a host may stand alone', 'https://site.example\n  X-A: b', '/', 'x-a=b'],
    ['a host may have placeholders', 'https://:sub.example/*\n  X-A: :sub', '/a', 'x-a=site'],
    ['a host may have *', 'https://*.example/*\n  X-A: b', '/a', 'x-a=b'],
    ['another host is another', 'https://*.other.example/*\n  X-A: b', '/a', ''],
    ['a header that comes twice comes twice', '/a\n  X-A: b\n  X-A: c', '/a', 'x-a=b x-a=c'],
  ])('%s', (_, text, path, expected) => {
    const changes = rulesOf(text).match(asked(path))
    expect(changes.map(change => `${change.name}=${'value' in change ? change.value : ''}`).join(' ')).toBe(
      expected,
    )
  })

  it.each([
    ['  X-A: b', 'must follow the path'],
    ['/a\n  nonsense', 'neither a path nor `Name: value`'],
    ['/a\n  !x-a', 'neither a path nor `Name: value`'],
    ['/a\n  ! X-A: b', 'names cannot have'],
    ['/a\n  :', 'the name of the header is missing'],
    ['/a\n  X-A:', 'the header X-A has no value'],
    ['/a\n  Content-Length: 5', "the platform's"],
    ['/a\n  Set-Cookie: a=b', "the platform's"],
    ['/a\n  X-A: \u{1f600}', 'cannot carry'],
    [`/a\n  X-A: ${'b'.repeat(2000)}`, 'longer than 2000'],
    ['https://x.example:8080/*\n  X-A: b', 'a port'],
    ['ftp://x.example/*\n  X-A: b', 'must begin with /'],
    ['/:a/:a\n  X-A: b', 'used twice'],
  ])('reports %j', (text, words) => {
    const { headers, warnings } = readHeaders(text)
    expect(headers.isEmpty).toBe(true)
    expect(warnings).toEqual([expect.stringMatching(/^_headers line [12]: .*ignored\.$/)])
    expect(warnings[0]).toContain(words)
  })

  it('goes on after a line that it cannot honour', () => {
    const { headers, warnings } = readHeaders(
      '/a\n  X-A:\n  nonsense\n  X-B: c\n/b*:x/*\n  X-C: d\n/e\n  X-E: f',
    )
    expect(warnings).toHaveLength(3)
    expect(headers.match(asked('/a'))).toEqual([{ name: 'x-b', value: 'c' }])
    expect(headers.match(asked('/e'))).toEqual([{ name: 'x-e', value: 'f' }])
  })

  it('takes 200 paths, and 16 KB of headers for a path', () => {
    const many = readHeaders(Array.from({ length: 202 }, (_, i) => `/${i}\n  X-A: b`).join('\n'))
    expect(many.warnings).toHaveLength(2)
    expect(many.headers.match(asked('/199'))).toHaveLength(1)
    expect(many.headers.match(asked('/200'))).toEqual([])
    const large = readHeaders(
      `/*\n${Array.from({ length: 20 }, (_, i) => `  X-${i}: ${'b'.repeat(1000)}\n`).join('')}`,
    )
    expect(large.warnings[0]).toContain('exceed 16384 bytes')
    const growing = rulesOf(`/*\n${'  X-A: :splat:splat:splat\n'.repeat(100)}`)
    const size = growing
      .match(asked(`/${'x'.repeat(5_000)}`))
      .reduce((sum, change) => sum + ('value' in change ? change.value.length : 0), 0)
    expect(size).toBeLessThanOrEqual(16 * 1024)
  })

  it('never fails, and never lets a header break its line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.webPath(), (text, path) => {
        const { headers } = readHeaders(`${text}\n/*\n  X-Path: :splat\n/:a\n  X-A: :a ${text}`)
        for (const change of headers.match(asked(path || '/')))
          if ('value' in change) expect(change.value.replaceAll('\t', '')).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})

describe('Basic-Auth', () => {
  const accepted = (headers: ReturnType<typeof rulesOf>, path: string, user: string) =>
    (headers.guards(asked(path)) ?? []).map(guard => guard.accept(Buffer.from(user)))

  it('protects the paths of its rule, and is no header', () => {
    const headers = rulesOf(
      '/admin/*\n  Basic-Auth: ann:s3cret bob:pass:word\n  X-A: b\n/admin/open\n  ! Basic-Auth',
    )
    expect(headers.match(asked('/admin/x'))).toEqual([{ name: 'x-a', value: 'b' }])
    expect(headers.guards(asked('/other'))).toEqual([])
    for (const path of ['/admin', '/admin/', '/admin/x', '/ADMIN/x'])
      expect([accepted(headers, path, 'ann:s3cret'), accepted(headers, path, 'bob:pass:word')]).toEqual([
        [true],
        [true],
      ])
    for (const user of ['ann:', 'ann:s3cre', 'bob:s3cret', 'ann:s3cret ', '', ':'])
      expect(accepted(headers, '/admin/x', user)).toEqual([false])
    expect(headers.guards(asked('/admin/open'))).toBeNull()
  })

  it('wants a password that every matching rule accepts', () => {
    const headers = rulesOf('/*\n  Basic-Auth: all:1 ann:2\n/admin/*\n  Basic-Auth: ann:2')
    expect(accepted(headers, '/admin/x', 'all:1')).toEqual([true, false])
    expect(accepted(headers, '/admin/x', 'ann:2')).toEqual([true, true])
  })

  it('protects a path with a comment after it', () => {
    const headers = rulesOf('/admin/*  # for staff\n  Basic-Auth: ann:1\n/docs/basic-auth\n  X-A: b')
    expect(accepted(headers, '/admin/x', 'ann:1')).toEqual([true])
    expect(headers.guards(asked('/docs/basic-auth'))).toEqual([])
  })

  it.each([
    ['/a\n  Basic-Auth:', 'Nobody can open the path'],
    ['/a\n  Basic-Auth: hunter2', 'must list user:password'],
    [`/a\n  Basic-Auth: ${'u:hunter2 '.repeat(300)}x:y`, 'Nobody can open the path'],
    ['/a/:x/:x\n  Basic-Auth: u:hunter2', 'Nobody can open the site'],
    [`${'/b\n  X-A: b\n'.repeat(200)}/a\n  Basic-Auth: u:hunter2`, 'Nobody can open the site'],
    [`${'# nothing\n'.repeat(10_000)}/a\n  BASIC-auth: u:hunter2`, 'Nobody can open the site'],
    ['Basic-Auth: u:hunter2', 'Nobody can open the site'],
    ['a/*\n  Basic-Auth: u:hunter2', 'Nobody can open the site'],
    ['/b\n  X-A: b\na/:id\n  Basic-Auth: u:hunter2', 'Nobody can open the site'],
    ['/a Basic-Auth: u:hunter2', 'Nobody can open the site'],
    ['/a\n  Basic-Auth u:hunter2', 'Nobody can open the path'],
    ['/a\n  Basic-Auth=u:hunter2', 'Nobody can open the path'],
    ['/a\n  Basic_Auth: u:hunter2', 'Nobody can open the path'],
    ['/a\n  Basic Auth: u:hunter2', 'Nobody can open the path'],
    ['/a\n  \u200bBasic-Auth: u:hunter2', 'Nobody can open the path'],
  ])('never fails open, and repeats no password', (text, words) => {
    const { headers, warnings } = readHeaders(text)
    expect(accepted(headers, '/a', 'u:hunter2')).toEqual([false])
    expect(warnings.join('\n')).toContain(words)
    expect(warnings.join('\n')).not.toContain('hunter2')
  })
})

it('only the first 10,000 lines are read, and the rest is not dropped without a word', () => {
  const { warnings } = readHeaders(`${'# nothing\n'.repeat(10_000)}/late\n  X-A: b`)
  expect(warnings).toEqual([
    '_headers line 10001: there are more than 10000 lines. This one and all after it are ignored.',
  ])
})
