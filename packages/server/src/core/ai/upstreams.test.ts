import { describe, expect, test } from 'vitest'
import { readUpstreams, singleUpstream, upstreamFor, upstreamPath } from './upstreams.ts'

const noVariable = () => undefined
const one = (more = {}) => ({ name: 'a', url: 'https://a.example/v1', prefixes: ['a-'], ...more })
const read = (...upstreams: object[]) => readUpstreams({ upstreams }, noVariable)

test('the longest prefix decides, and an empty one takes the rest', () => {
  const upstreams = read(
    one({ name: 'rest', prefixes: [''] }),
    one({ name: 'gpt', prefixes: ['gpt-', 'o1'] }),
    one({ name: 'special', prefixes: ['gpt-oss'] }),
  )
  const nameFor = (model: string) => upstreamFor(upstreams, model)?.name
  expect(['gpt-4o', 'o1-mini', 'gpt-oss-120b', 'llama', ''].map(nameFor)).toEqual([
    'gpt',
    'gpt',
    'special',
    'rest',
    'rest',
  ])
  expect(upstreamFor(read(one()), 'b-1')).toBeUndefined()
  expect(upstreamFor(read(one()), '')).toBeUndefined()
})

test.each([
  ['https://api.openai.com', '/v1/models'],
  ['https://api.openai.com/', '/v1/models'],
  ['https://api.openai.com/v1', '/v1/models'],
  ['https://api.openai.com/v1/', '/v1/models'],
  ['https://openrouter.ai/api/v1', '/api/v1/models'],
  ['https://host.example/openai', '/openai/v1/models'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', '/v1beta/openai/models'],
  ['https://x.example/openai/v1?api-version=2', '/openai/v1/models?api-version=2&limit=1', 'limit=1'],
  ['https://x.example', '/v1/models?limit=1', 'limit=1'],
])('a call to %s goes to %s', (url, path, query = '') => {
  expect(upstreamPath(singleUpstream(url, undefined), '/v1/models', query)).toBe(path)
})

describe('a key', () => {
  test('is in the file, or in the variable that the file names', () => {
    expect(read(one({ key: 'secret' }))[0]?.key?.reveal()).toBe('secret')
    const variables = (name: string) => (name === 'A_KEY' ? 'other' : undefined)
    const upstreams = readUpstreams({ upstreams: [one({ key_env: 'A_KEY' })] }, variables)
    expect(upstreams[0]?.key?.reveal()).toBe('other')
  })

  test('is never in a message', () => {
    const wrong = [
      one({ url: 'https://user:secret@a.example' }),
      one({ key: 'sec ret' }),
      one({ key: 'secret', key_env: 'A' }),
    ]
    for (const upstream of wrong) expect(() => read(upstream)).toThrow(/^(?!.*sec.?ret)/)
  })
})

test.each([
  [[], /at least one upstream/],
  [[one({ url: 'ftp://a' })], /'a': the URL must begin with https/],
  [[one({ key_env: 'NOT_SET' })], /'a': the variable NOT_SET, named by key_env, is not set/],
  [[one({ prefixes: [] })], /at least one prefix/],
  [[one(), one({ name: 'b' })], /'b': the prefix 'a-' is taken by 'a' already/],
  [[one(), one({ prefixes: ['b-'] })], /'a': the name is there twice/],
  [[one({ auth_header: 'a b' })], /name of a header/],
  [[one({ prefix: 'x' })], /prefix/],
])('%j is refused', (upstreams, words) => {
  expect(() => read(...upstreams)).toThrow(words)
})
