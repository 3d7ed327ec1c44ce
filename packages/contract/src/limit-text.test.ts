import { expect, it } from 'vitest'
import { readLimit, writeLimit } from './limit-text.ts'

it('a limit is a number, a size where bytes are counted, none or the default', () => {
  expect(readLimit('projects', ' 5 ')).toBe(5)
  expect(readLimit('stored_bytes', '10GB')).toBe(10 * 1024 ** 3)
  expect(readLimit('stored_bytes', '1 tb')).toBe(1024 ** 4)
  expect(readLimit('bandwidth_bytes', '512')).toBe(512)
  expect(readLimit('orgs', 'None')).toBe(null)
  expect(readLimit('orgs', '')).toBe('default')
  expect(readLimit('orgs', 'default')).toBe('default')
})

it('other texts are refused, with what is accepted', () => {
  for (const text of ['-1', '1.5', '5 GB', '5x', '1e3', 'constructor', '9'.repeat(16)])
    expect(() => readLimit('projects', text)).toThrow("give a whole number, 'none' for no limit")
  for (const text of ['-1 GB', '1.5 GB', '5 PB', `${'9'.repeat(16)} TB`])
    expect(() => readLimit('stored_bytes', text)).toThrow('give a size such as 10 GB')
})

it('a limit is written as people read it', () => {
  expect(writeLimit('stored_bytes', 10 * 1024 ** 3)).toBe('10 GB')
  expect(writeLimit('projects', 5)).toBe('5')
  expect(writeLimit('projects', null)).toBe('no limit')
})
