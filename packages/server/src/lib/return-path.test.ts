import fc from 'fast-check'
import { expect, test } from 'vitest'
import { returnPath } from './return-path.ts'

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
