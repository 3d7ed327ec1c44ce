import { expect, test } from 'vitest'
import { problemsOf, slownessOf } from './regex-rules.mjs'

test.each([
  ['spaces before what is missing', /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i],
  ['a separator with spaces around it', /\s*,\s*/g],
  ['trailing slashes', /\/+$/],
  ['a comment up to the end', /\s#.*$/],
  ['a repetition of a repetition', /(a+)+b/],
  ['alternatives that begin alike', /^(?:a|a)*$/],
  ['alternatives that overlap', /^(?:\w|\d)*$/],
  ['a pair around anything', /a.*b/],
  ['lines that are read beyond their end', /^x[\s\S]*y/m],
  ['a count of fields', /^(.*?,){11}P/],
  ['a number that may begin anywhere', /\d+\.\d+/],
])('%s is refused', (_, { source, flags }) => {
  expect(slownessOf(source, flags)).toBeDefined()
})

test.each([
  ['leading slashes', /^\/+/],
  ['a quoted text', /"[^"]*"/g],
  ['an element', /<a>([^<]*)<\/a>/g],
  ['a parameter after a semicolon', /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i],
  ['a name', /^[a-z0-9](?:[a-z0-9-]{1,38})[a-z0-9]$/],
  ['runs of other characters', /[^a-z0-9-]+/g],
  ['one line of several', /^x.*y/m],
])('%s is allowed', (_, { source, flags }) => {
  expect(slownessOf(source, flags)).toBeUndefined()
})

test('a slow expression is found where it stands', () => {
  const text = 'interface A {}\nconst bad = (text: string) => text.split(/\\s*,\\s*/)\n'
  expect(problemsOf('a.ts', text)).toEqual([expect.stringContaining('a.ts:2: /\\s*,\\s*/ is not linear')])
})

test('an expression in markup is found, too', () => {
  expect(problemsOf('a.tsx', 'const a = <b>{/\\s+$/.test(c)}</b>')).toHaveLength(1)
})

test('an expression that is built says why it is linear', () => {
  const built = "const a = new RegExp('^' + b)\n"
  expect(problemsOf('a.ts', built)).toHaveLength(1)
  expect(problemsOf('a.ts', `// Linear: b is one of our own words.\n${built}`)).toEqual([])
  expect(problemsOf('a.ts', "const a = new RegExp('\\\\s+$')")).toHaveLength(1)
  expect(problemsOf('a.ts', "const a = RegExp('^\\\\s+', 'g')")).toEqual([])
})
