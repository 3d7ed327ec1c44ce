import { expect, test } from 'vitest'
import { nextPage } from './next-page.ts'

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
])('%j leads to %s', (redirect, path) => {
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
])('%j leads nowhere', redirect => {
  expect(nextPage(redirect, 'shop.example')).toBeUndefined()
})
