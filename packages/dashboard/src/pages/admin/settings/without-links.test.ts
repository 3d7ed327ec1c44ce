import { expect, test } from 'vitest'
import { withoutLinks } from './without-links.ts'

test('of a link its words stay, and other brackets are left alone', () => {
  expect(withoutLinks('see [backups](#backups): a [folder](a.md#b) or `s3://`')).toBe(
    'see backups: a folder or `s3://`',
  )
  expect(withoutLinks('`[fd00::1]:53`')).toBe('`[fd00::1]:53`')
  expect(withoutLinks('nothing')).toBe('nothing')
})
