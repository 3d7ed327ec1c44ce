import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTarget } from './targets.ts'

describe('a request target', () => {
  test.each([
    ['/', '/', ''],
    ['/a/b.html', '/a/b.html', ''],
    ['/a?x=1?y', '/a', '?x=1?y'],
    ['/a?', '/a', '?'],
    ['/a%20b', '/a b', ''],
    ['/%C3%A9', '/é', ''],
    ['/\u00c3\u00a9', '/é', ''],
    ['/a%2Fb', '/a/b', ''],
    ['/a%3Fb?c', '/a?b', '?c'],
    ['/a%25b', '/a%b', ''],
    ['/a%252e%252e', '/a%2e%2e', ''],
    ['/a..b', '/a..b', ''],
    ['/...', '/...', ''],
    ['/a\\..\\b', '/a\\..\\b', ''],
    ['//x', '//x', ''],
    ['http://shop.example.test/a?b', '/a', '?b'],
    ['HTTPS://shop.example.test', '/', ''],
    ['http://shop.example.test?b', '/', '?b'],
    ['/a?..=%zz', '/a', '?..=%zz'],
  ])('%j is the path %j', (target, path, query) => {
    expect(readTarget(target)).toMatchObject({ path, query })
  })

  test.each([
    '/%',
    '/%zz',
    '/%e',
    '/%ff',
    '/%C3',
    '/%c0%ae',
    '/%ed%a0%80',
    '/\u00ff',
    '/%00',
    '/a/..',
    '/../a',
    '/..',
    '/a/../b',
    '/a/%2e%2e/b',
    '/%2E.',
    '/a%2f..%2fb',
    '*',
    'a',
    '',
    'ftp://shop.example.test/',
    '?x',
  ])('%j is none', target => expect(readTarget(target)).toBeUndefined())

  test('that encodes a path is that path, unless a segment is `..` or a character NUL', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), segments => {
        const path = `/${segments.join('/')}`
        const target = readTarget(`/${segments.map(encodeURIComponent).join('/')}`)
        const refused = path.split('/').includes('..') || path.includes('\0')
        expect(target?.path).toBe(refused ? undefined : path)
      }),
    )
  })
})
