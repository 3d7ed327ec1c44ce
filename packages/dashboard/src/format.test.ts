import { describe, expect, it } from 'vitest'
import { bareUrl, formatAgo, formatCount, formatDuration, formatIn } from './format.ts'

describe('counts', () => {
  it('have one and many', () => {
    expect(formatCount(1, 'file')).toBe('1 file')
    expect(formatCount(0, 'file')).toBe('0 files')
    expect(formatCount(10_000, 'file')).toBe('10,000 files')
  })
})

describe('times', () => {
  const now = Date.parse('2026-05-01T12:00:00.000Z')
  it.each([
    ['2026-05-01T12:00:05.000Z', 'just now'],
    ['2026-05-01T11:59:01.000Z', 'just now'],
    ['2026-05-01T11:59:00.000Z', '1 minute ago'],
    ['2026-05-01T10:00:01.000Z', '1 hour ago'],
    ['2026-04-29T11:00:00.000Z', '2 days ago'],
    ['2026-04-20T12:00:00.000Z', '1 week ago'],
    ['2026-03-20T12:00:00.000Z', '1 month ago'],
    ['2024-04-30T12:00:00.000Z', '2 years ago'],
  ])('%s is %s', (at, text) => {
    expect(formatAgo(at, now)).toBe(text)
  })
})

describe('times to come', () => {
  const now = Date.parse('2026-05-01T12:00:00.000Z')
  it.each([
    ['2026-05-01T11:00:00.000Z', 'in a moment'],
    ['2026-05-01T12:00:59.000Z', 'in a moment'],
    ['2026-05-01T12:05:00.000Z', 'in 5 minutes'],
    ['2026-05-03T13:00:00.000Z', 'in 2 days'],
  ])('%s is %s', (at, text) => {
    expect(formatIn(at, now)).toBe(text)
  })
})

describe('URLs', () => {
  it('lose their scheme and a last slash', () => {
    expect(bareUrl('http://my-site.localhost:8080/')).toBe('my-site.localhost:8080')
    expect(bareUrl('https://my-site.example.com')).toBe('my-site.example.com')
  })
})

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [840.4, '840 ms'],
    [1000, '1.0 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min 0 s'],
    [200_000, '3 min 20 s'],
  ])('a duration of %d ms is written as %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words)
  })
})
