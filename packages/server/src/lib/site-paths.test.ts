import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPage, returnPath } from './site-paths.ts'

test.each([
  ['/', '/'],
  ['/docs/a?b=c&d', '/docs/a?b=c&d'],
  ['/a/../b', '/b'],
  ['/ü', '/%C3%BC'],
  ['/a//b', '/a//b'],
  ['/%2F%2Fevil.test', '/%2F%2Fevil.test'],
])('%j leads back to %j', (text, path) => expect(returnPath(text)).toBe(path))

test.each([
  null,
  undefined,
  '',
  'a',
  'https://evil.test/',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  '/.//evil.test',
  '/a/..//evil.test',
  '/%2e//evil.test',
  'javascript:alert(1)',
  ' //evil.test',
  '/_svc/access?code=x',
  '/_svc',
  '/x/../_svc/unlock',
  `/${'a'.repeat(2000)}`,
])('%j leads to the root', text => expect(returnPath(text)).toBe('/'))

test('for any input, a browser stays on the site', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      '/',
      '\\',
      '.',
      '%2f',
      '%5c',
      '%2e',
      '\t',
      '\n',
      '\r',
      '@',
      ':',
      'evil.test',
      '?',
      '#',
      'ü',
    ),
    maxLength: 12,
  })
  fc.assert(
    fc.property(hostile, text => {
      const path = returnPath(`/${text}`)
      expect(new URL(path, 'https://shop.test/a/b').host).toBe('shop.test')
      expect(path).toMatch(/^\/[!-~]*$/)
    }),
  )
})

test.each([
  ['/thanks', '/thanks'],
  ['thanks?x=1#top', '/thanks?x=1#top'],
  [' /a b/ü ', '/a%20b/%C3%BC'],
  ['https://shop.example/thanks', '/thanks'],
  ['http://SHOP.example:8080/thanks', '/thanks'],
  ['http://user:secret@shop.example/thanks', '/thanks'],
  ['/a/../b', '/b'],
  ['/a//evil.example', '/a//evil.example'],
  ['/next\r\nSet-Cookie: a=1', '/nextSet-Cookie:%20a=1'],
])('a form that names %j leads to %s', (redirect, path) => {
  expect(nextPage(redirect, 'shop.example')).toBe(path)
})

test.each([
  undefined,
  '',
  '//evil.example',
  '///evil.example',
  '\\\\evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https://shop.example@evil.example/',
  'https://shop.example.evil.example/',
  'https://evil.example\\@shop.example/',
  'https://next--shop.example/',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'ftp://shop.example/',
  '/_svc/access?code=x',
  '/_SVC/unlock',
  '/a/../_svc/unlock',
  `/${'x'.repeat(2_000)}`,
])('a form that names %j leads to no page', redirect => {
  expect(nextPage(redirect, 'shop.example')).toBeUndefined()
})
