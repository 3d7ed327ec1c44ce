import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Pattern, readPattern } from './pattern.ts'
import { SubstringSearch } from './substring-search.ts'

const patternOf = (text: string) => readPattern(text) as Pattern

describe('a path pattern', () => {
  it.each([
    ['/', '/', {}],
    ['/a', '/a/', {}],
    ['/a', '/A', undefined],
    ['/a/', '/a', {}],
    ['/a%20b/%C3%A4', '/a b/ä', {}],
    ['/%40me/12:30', '/@me/12:30', {}],
    ['/100%/a%zz', '/100%/a%zz', {}],
    ['/:id', '/7', { id: '7' }],
    ['/:id', '/7/', { id: '7' }],
    ['/:id', '/', undefined],
    ['/:id', '/7/8', undefined],
    ['/:year/:slug', '/2024/hello', { year: '2024', slug: 'hello' }],
    ['/@:user', '/@ann', { user: 'ann' }],
    ['/@:user', '/@', undefined],
    ['/u/:id.html', '/u/7.html', { id: '7' }],
    ['/u/:id.html', '/u/.html', undefined],
    ['/u/:id.html', '/u/7.htm', undefined],
    ['/:a-:b', '/x-y-z', { a: 'x-y', b: 'z' }],
    ['/:a:b', '/xyz', { a: 'xy', b: 'z' }],
    ['/:a-:b.:c', '/1-2.3.4', { a: '1', b: '2.3', c: '4' }],
    ['/news/*', '/news', { splat: '' }],
    ['/news/*', '/news/', { splat: '' }],
    ['/news/*', '/news/a/b/', { splat: 'a/b/' }],
    ['/news/*', '/newsletter', undefined],
    ['/news*', '/newsletter/1', { splat: 'letter/1' }],
    ['/*', '/', { splat: '' }],
    ['/*.js', '/a/b.js', { splat: 'a/b' }],
    ['/*.js', '/a/b.json', undefined],
    ['/a/*/b', '/a/x/y/b', { splat: 'x/y' }],
    ['/a/*/b', '/a/b', { splat: '' }],
    ['/a/*/b', '/a/x/b/', { splat: 'x' }],
    ['/a/*/b', '/ax/b', undefined],
    ['/*/b', '/b', { splat: '' }],
    ['/:lang/*.js', '/de/x/y.js', { lang: 'de', splat: 'x/y' }],
    ['/:a-*', '/1-2-3/4', { a: '1-2', splat: '3/4' }],
    ['/*-:b', '/1-2-3', { splat: '1-2', b: '3' }],
    ['/:a*b', '/xb', { a: 'x', splat: '' }],
    ['/x*y/:z', '/xa/by/c', { splat: 'a/b', z: 'c' }],
    ['/*a*b', '/xaxb', { splat: 'x' }],
    ['/*/b/*', '/x/b', { splat: 'x' }],
    ['/*/b/*', '/x/bc', undefined],
    ['/a/*/c/*.js', '/a/b/c/d.js', { splat: 'b' }],
    ['/constructor/:constructor', '/constructor/x', { constructor: 'x' }],
  ])('%j compared with %j gives %j', (pattern, path, expected) => {
    const values = patternOf(pattern).match(path)
    expect(values).toEqual(expected)
  })

  it.each([
    ['a', 'must begin with /'],
    ['/:a/:a', 'used twice'],
    ['/:splat/*', ':splat stands for *'],
    ['/*/:a/*', 'more than one *'],
  ])('%j is refused', (pattern, words) => {
    expect(readPattern(pattern)).toContain(words)
  })

  it('matches what a regular expression with the same meaning matches, with the same values', () => {
    const token = fc.constantFrom('/', 'a', 'b', '-', ':x', ':y', '*')
    const letter = fc.constantFrom('/', 'a', 'b', '-')
    fc.assert(
      fc.property(
        fc.array(token, { maxLength: 7 }),
        fc.array(letter, { maxLength: 9 }),
        (tokens, letters) => {
          const pattern = readPattern(`/${tokens.join('')}`)
          if (typeof pattern === 'string' || pattern.text.includes('//') || tokens.at(-1) === '/') return
          const path = `/${letters.join('')}`
          const found = expressionOf(`/${tokens.join('')}`).exec(path)
          const values = pattern.match(path)
          expect(values === undefined).toBe(found === null)
          for (const [name, value] of Object.entries(found?.groups ?? {}))
            if (pattern.stars < 2 && !pattern.text.includes('/*')) expect(values?.[name]).toBe(value)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('takes no more steps than the path is long, however the pattern repeats itself', () => {
    const path = `/${'a'.repeat(100_000)}`
    const piece = `-${'a'.repeat(400)}`
    for (const text of [`/*${'a*'.repeat(400)}-`, `/*${piece}*${piece}*${piece}`, `/:x${piece}:y${piece}:z`])
      for (let i = 0; i < 100; i++) expect(patternOf(text).match(path) === undefined).toBe(true)
  })
})

/** What the pattern means, as Cloudflare writes it, with Netlify's optional slashes. */
function expressionOf(pattern: string): RegExp {
  const isSingle = pattern.split('*').length === 2
  let source = (pattern.length > 1 ? pattern.replace(/\/$/, '') : pattern).replaceAll('-', '\\-')
  if (isSingle) source = source.replace(/\/\*(?=\/|$)/, '(?:/(?<splat>.*))?')
  else source = source.replace(/\/\*$/, '(?:/.*)?')
  source = source.replace(/(?<![.)/(])\*|(?<=\/)\*/g, isSingle ? '(?<splat>.*)' : '.*')
  source = source.replace(/:([a-z]\w*)/g, '(?<$1>[^/]+)')
  return new RegExp(`^${source}${pattern.endsWith('*') ? '' : '/?'}$`)
}

describe('a needle', () => {
  it('is found where lastIndexOf finds it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
    fc.assert(
      fc.property(text, text, fc.nat(12), (needle, hay, end) => {
        const within = hay.slice(0, end)
        expect(new SubstringSearch(needle).lastIndexIn(within, within.length)).toBe(
          within.lastIndexOf(needle),
        )
      }),
    )
  })
})
