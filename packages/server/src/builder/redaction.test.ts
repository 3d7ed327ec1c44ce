import { expect, test } from 'vitest'
import { printable, Redaction } from './redaction.ts'

const secret = 'p@ss/word "ü" 42'

test.each([
  ['as it is', secret],
  ['in a URL', encodeURIComponent(secret)],
  ['in JSON', JSON.stringify(secret)],
  ['in base64', Buffer.from(secret).toString('base64')],
  ['in base64, after other bytes', Buffer.from(`ab${secret}`).toString('base64')],
  ['in the header of a login', Buffer.from(`me:${secret}:x`).toString('base64')],
  ['in base64 for URLs', Buffer.from(`u${secret}`).toString('base64url')],
])('a secret is not shown %s', (_name, spelled) => {
  const shown = new Redaction([secret]).of(`before ${spelled} after`)
  expect(shown).toMatch(/^before .*\[secret\].* after$/)
  expect(shown).not.toContain(spelled)
})

test('each line of a secret with several lines is removed', () => {
  expect(new Redaction(['-----BEGIN\nabcdefgh\n-----END']).of('x abcdefgh y')).toBe('x [secret] y')
})

test('short values are not removed', () => {
  expect(new Redaction(['true', '1', '']).of('true 1')).toBe('true 1')
})

test('colours stay, and other terminal commands are removed', () => {
  const text =
    'a\x1b[1;31mred\x1b[0m \x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x1b\\b\x1bc\x07\x00\tc\r\nd\re\x1b'
  expect(printable(text)).toBe('a\x1b[1;31mred\x1b[0m b\tc\nd\ne')
})
