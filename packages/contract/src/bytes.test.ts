import { expect, test } from 'vitest'
import { formatBytes } from './bytes.ts'

const KB = 1024
const MB = 1024 * KB

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [999, '999 B'],
  [1000, '1 KB'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [10 * KB, '10 KB'],
  [12.34 * KB, '12.3 KB'],
  [99.94 * KB, '99.9 KB'],
  [99.96 * KB, '100 KB'],
  [999 * KB, '999 KB'],
  [1000 * KB, '1 MB'],
  [1023.9 * KB, '1 MB'],
  [25 * MB, '25 MB'],
  [250 * MB, '250 MB'],
  [1000 * MB, '1 GB'],
  [1.5 * 1024 * MB, '1.5 GB'],
  [1024 ** 4, '1 TB'],
  [5000 * 1024 ** 4, '5000 TB'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
