// The rules engine of the platform must answer a translated rule as the other platform answers the original.
import fc from 'fast-check'
import { type Key, pathToRegexp } from 'path-to-regexp'
import { describe, expect, it } from 'vitest'
import { Findings } from '../findings.ts'
import { asked, readHeaders, readRedirects } from '../testing/engine.ts'
import { headerBlocks, redirectLines, rewriteLines } from '../vercel/rules.ts'
import { headerLines } from './rule-lines.ts'

/** Slashes at the end and empty segments make no difference. */
const normal = (address: string): string => address.replace(/(?<!:)\/{2,}/g, '/').replace(/(?<=.)\/$/, '')

/** Where Vercel sends a path: the source is compiled as Vercel compiles it, and groups go to `$1`, `$2`… in the target. */
function vercelAnswers(source: string, destination: string, path: string): string | undefined {
  const keys: Key[] = []
  const expression = pathToRegexp(source, keys, { strict: true, sensitive: true, delimiter: '/' })
  const found = expression.exec(path)
  if (!found) return undefined
  return keys.reduce(
    (to, { name }, i) =>
      to.replace(new RegExp(typeof name === 'number' ? `\\$${i + 1}` : `:${name}[*+?]?`), found[i + 1] ?? ''),
    destination,
  )
}

const word = fc.constantFrom('a', 'b', 'docs', 'en', 'x.html', 'blog-1', '7', 'de', 'docs-a', 'api')
const path = fc
  .tuple(fc.array(word, { maxLength: 4 }), fc.boolean())
  .map(([words, slash]) => `/${words.join('/')}${slash && words.length > 0 ? '/' : ''}`)

/** Segments of sources, and what names them in a target. `#` becomes a fresh name. */
const segment = fc.constantFrom(
  ...['/a', '/docs', '/blog-:#', '/:#.html', '/x.:#'],
  ...[
    '/:#',
    '/:#?',
    '/:#*',
    '/:#+',
    '/:#(.*)',
    '/:#(en|de)',
    '/:#(en|de)?',
    '/:#([^/]+)',
    '/:#(.+)',
    '/docs-:#(.*)',
    '/:#(.*).html',
  ],
  ...['/(.*)', '/(en|de)', '{/docs}?', '/:#(\\d+)'],
)

const rule = fc.array(segment, { minLength: 1, maxLength: 4 }).map(segments => {
  const parts = segments.map((text, i) => text.replace('#', `n${i}`))
  let group = 0
  const references = parts.flatMap(text => {
    const name = /:(n\d)/.exec(text)?.[1]
    if (name === undefined && !text.includes('(')) return []
    group++
    return [name === undefined ? `/g-$${group}` : `/${name}-:${name}${/[*+]$/.exec(text)?.[0] ?? ''}`]
  })
  return { source: parts.join(''), destination: `/to${references.join('')}` }
})

describe('a redirect of Vercel', () => {
  it('answers every path as Vercel does, once it is translated', () => {
    let translated = 0
    fc.assert(
      fc.property(rule, fc.array(path, { minLength: 5, maxLength: 20 }), ({ source, destination }, paths) => {
        const findings = new Findings()
        const lines = redirectLines('vercel.json', [{ source, destination }], findings)
        if (findings.list.length > 0) return
        translated++
        const { redirects } = readRedirects(lines.join('\n'))
        for (const path of paths) {
          const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
          // A slash at the end makes no difference here, so either answer is right.
          const theirs = [path, other]
            .map(path => vercelAnswers(source, destination, path))
            .filter(to => to !== undefined)
            .map(normal)
          const ours = redirects.match(asked(path))
          const isSame = ours === undefined ? theirs.length === 0 : theirs.includes(normal(ours.to))
          if (!isSame) expect({ path, lines, to: ours?.to }).toEqual({ path, lines, to: theirs })
          if (ours && (ours.status !== 308 || !ours.force)) expect(ours).toEqual('a forced 308')
        }
      }),
      { numRuns: 800 },
    )
    expect(translated).toBeGreaterThan(100)
  })

  it.each([
    [
      { has: [{ type: 'query', key: 'id', value: '(?<id>.+)' }] },
      '/store',
      '?id=7&x=1',
      'example.com',
      '/to/7?id=7&x=1',
    ],
    [{ has: [{ type: 'query', key: 'id', value: '(?<id>.+)' }] }, '/store', '?x=1', 'example.com', undefined],
    [{ has: [{ type: 'query', key: 'id' }] }, '/store', '?id=', 'example.com', '/to/:id?id='],
    [
      { has: [{ type: 'query', key: 'page', value: '2' }] },
      '/store',
      '?page=2',
      'example.com',
      '/to/:id?page=2',
    ],
    [{ has: [{ type: 'query', key: 'page', value: '2' }] }, '/store', '?page=3', 'example.com', undefined],
    [{ has: [{ type: 'host', value: 'old\\.example\\.com' }] }, '/store', '', 'old.example.com', '/to/:id'],
    [{ has: [{ type: 'host', value: 'old.example.com' }] }, '/store', '', 'new.example.com', undefined],
  ])('with the condition %j answers %s%s at %s with %s', (conditions, path, query, host, to) => {
    const findings = new Findings()
    const lines = redirectLines(
      'vercel.json',
      [{ source: '/store', destination: '/to/:id', ...conditions }],
      findings,
    )
    expect(findings.list).toEqual([])
    expect(readRedirects(lines.join('\n')).redirects.match({ path, query, host })?.to).toBe(to)
  })

  it.each([
    [{ source: '/a/:id(\\d+)', destination: '/b' }, 'cannot be limited by the expression'],
    [{ source: '/:a-:b', destination: '/b' }, 'one placeholder only'],
    [{ source: '/(.*)/x/(.*)', destination: '/b' }, 'one wildcard only'],
    [
      { source: '/a', destination: '/b', missing: [{ type: 'cookie', key: 'x' }] },
      "'missing' has no counterpart",
    ],
    [
      { source: '/a', destination: '/b', has: [{ type: 'header', key: 'x' }] },
      "'has header' has no counterpart",
    ],
    [
      { source: '/a', destination: '/b', has: [{ type: 'host', value: '(.*)\\.example.com' }] },
      'one host only',
    ],
    [{ source: '/a', destination: '/b', statusCode: 418 }, 'status 418'],
    [{ source: '/a', destination: 'mailto:a@b.example' }, 'neither a path nor an http URL'],
    [{ source: '/a', destination: '//evil.example' }, undefined],
    [{ source: '(', destination: '/b' }, 'not a valid path pattern'],
    [{ destination: '/b' }, "has no 'source'"],
    [`not a rule`, "has no 'source'"],
  ])('%j is not translated, and the warning says why', (rule, words) => {
    const findings = new Findings()
    const lines = redirectLines('vercel.json', [rule], findings)
    if (words === undefined) return expect(lines.every(line => !line.includes(' //'))).toBe(true)
    expect(lines).toEqual([])
    expect(findings.list[0]).toMatchObject({ level: 'warning', text: expect.stringContaining(words) })
  })
})

describe('a rewrite of Vercel that leaves paths out', () => {
  it.each(['/((?!api/).*)', '/((?!api/.*).*)', '/((?!api|docs-).*)', '/:path((?!api/|en).*)'])(
    '%s answers every path as Vercel does',
    source => {
      const findings = new Findings()
      const rules = [
        { source: '/b', destination: '/x.html' },
        { source, destination: '/index.html' },
      ]
      const { redirects } = readRedirects(rewriteLines('vercel.json', rules, findings).join('\n'))
      expect(findings.list).toEqual([])
      fc.assert(
        fc.property(path, path => {
          const isTheirs = [path, path.endsWith('/') ? path : `${path}/`].every(path =>
            vercelAnswers(source, '/', path),
          )
          const ours = redirects.match(asked(path))?.to
          // A rule that shows what is at the path itself rewrites nothing.
          const rewritten = ours === path || ours === path.replace(/\/$/, '') ? undefined : ours
          if (normal(path) !== '/b' && (rewritten === '/index.html') !== isTheirs)
            expect({ path, rewritten }).toEqual({ path, isTheirs })
        }),
        { numRuns: 500 },
      )
    },
  )

  it('is a warning where later rewrites follow', () => {
    const findings = new Findings()
    const rules = [
      { source: '/((?!api/).*)', destination: '/index.html' },
      { source: '/x', destination: '/y.html' },
    ]
    expect(rewriteLines('vercel.json', rules, findings)).toEqual(['/x /y.html 200'])
    expect(findings.list).toMatchObject([{ level: 'warning' }])
  })
})

describe('headers of Vercel', () => {
  it('are set on every path as Vercel sets them: the last rule wins', () => {
    const source = fc.constantFrom(
      '/(.*)',
      '/a/(.*)',
      '/:x',
      '/docs/:x*',
      '/:x.html',
      '/(.*).html',
      '/(en|de)/(.*)',
      '/a',
    )
    const headers = fc.array(
      fc.record({ key: fc.constantFrom('X-One', 'X-Two', 'x-one'), value: fc.constantFrom('1', '2', '3') }),
      { minLength: 1, maxLength: 2 },
    )
    fc.assert(
      fc.property(fc.array(fc.record({ source, headers }), { maxLength: 5 }), path, (rules, path) => {
        const findings = new Findings()
        const lines = headerBlocks('vercel.json', rules, findings).flatMap(headerLines)
        const read = readHeaders(lines.join('\n'))
        expect([findings.list, read.warnings]).toEqual([[], []])
        const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
        const theirs = new Map<string, string>()
        for (const { source, headers } of rules)
          if ([path, other].some(path => vercelAnswers(source, '/', path) !== undefined))
            for (const { key, value } of headers) theirs.set(key.toLowerCase(), value)
        const ours = new Map<string, string>()
        for (const { name, value } of read.headers.match(asked(path)))
          if (value === undefined) ours.delete(name)
          else ours.set(name, ours.has(name) ? `${ours.get(name)}, ${value}` : value)
        expect([...ours].sort()).toEqual([...theirs].sort())
      }),
      { numRuns: 300 },
    )
  })
})
