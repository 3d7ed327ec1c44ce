import { expect, test } from 'vitest'
import { isOlderVersion } from './versions.ts'

test.each([
  ['0.1.0', '0.2.0', true],
  ['0.2.0', '0.10.0', true],
  ['1.0.0', '0.9.9', false],
  ['0.1.0', '0.1.0', false],
  ['0.1.0-beta.1', '0.1.1', true],
  ['dashboard', '0.1.0', false],
  ['0.1.0', 'unknown', false],
])('%s is older than %s: %s', (version, than, expected) => {
  expect(isOlderVersion(version, than)).toBe(expected)
})
