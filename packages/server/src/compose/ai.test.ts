import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import { readAiFiles } from './ai.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-ai-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

test('the built-in price list is valid, and without settings there is no provider', () => {
  const { upstreams, prices } = readAiFiles(readSettings({}))
  expect(upstreams).toEqual([])
  expect(prices.isKnown('gpt-4o-2024-08-06')).toBe(true)
})

test('a key comes from the variable that the file names', async () => {
  const file = path.join(dir, 'good.json')
  const upstreams = [{ name: 'a', url: 'https://a.example', key_env: 'A_KEY', prefixes: [''] }]
  await writeFile(file, JSON.stringify({ upstreams }))
  const settings = readSettings({ SVCD_AI_UPSTREAMS_FILE: file, A_KEY: 'secret' })
  expect(readAiFiles(settings).upstreams[0]?.key?.reveal()).toBe('secret')
})

test.each([
  ['{"upstreams": [{"key": "secret"', /^SVCD_AI_UPSTREAMS_FILE names .*: the file is not JSON$/],
  ['{"upstreams": []}', /SVCD_AI_UPSTREAMS_FILE .*at least one upstream/],
  ['{"upstreams": [{"name": "a", "prefixes": [""]}]}', /upstreams\.0\.url/],
])('svcd does not start with the file %s, and says why', async (text, words) => {
  const file = path.join(dir, 'wrong.json')
  await writeFile(file, text)
  expect(() => readAiFiles(readSettings({ SVCD_AI_UPSTREAMS_FILE: file }))).toThrow(words)
})

test.each([
  [{ SVCD_AI_KEY: 'k' }, /SVCD_AI_UPSTREAM is missing/],
  [{ SVCD_AI_UPSTREAM: 'ftp://a' }, /SVCD_AI_UPSTREAM must be a URL/],
  [{ SVCD_AI_UPSTREAM: 'https://k:k@a' }, /SVCD_AI_UPSTREAM must not hold/],
  [{ SVCD_AI_UPSTREAM: 'https://a', SVCD_AI_UPSTREAMS_FILE: '/x' }, /SVCD_AI_UPSTREAMS_FILE replaces/],
  [{ SVCD_AI_UPSTREAMS_FILE: '/does/not/exist' }, /SVCD_AI_UPSTREAMS_FILE names .*no such file/],
  [{ SVCD_AI_PRICES_FILE: '/does/not/exist' }, /SVCD_AI_PRICES_FILE names .*no such file/],
])('svcd does not start with %j, and says why', (settings, words) => {
  expect(() => readAiFiles(readSettings(settings as Record<string, string>))).toThrow(words)
})
