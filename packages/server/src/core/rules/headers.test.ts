import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHeaders } from './headers.ts'

const rulesOf = (text: string) => {
  const { headers, warnings } = readHeaders(text)
  expect(warnings).toEqual([])
  return headers
}

describe('_headers', () => {
  it('applies every rule that matches, in the order of the file', () => {
    const headers = rulesOf(`
# all
/*
  X-Frame-Options: DENY
  Link: </a.css>; rel=preload

/blog/:slug
  X-Slug: :slug
  ! X-Frame-Options
/blog/hello/
  Cache-Control: public, max-age=60
`)
    expect(headers.match('/')).toEqual([
      { name: 'x-frame-options', value: 'DENY' },
      { name: 'link', value: '</a.css>; rel=preload' },
    ])
    expect(headers.match('/blog/hello').slice(2)).toEqual([
      { name: 'x-slug', value: 'hello' },
      { name: 'x-frame-options', remove: true },
      { name: 'cache-control', value: 'public, max-age=60' },
    ])
  })

  it.each([
    ['  X-A: b', 'must follow the path'],
    ['/a\n  nonsense', 'is not `Name: value`'],
    ['/a\n  Content-Length: 5', "the platform's"],
    ['/a\n  Set-Cookie: a=b', "the platform's"],
    ['/a\n  X-A: \u{1f600}', 'cannot carry'],
    ['https://x.example/*\n  X-A: b', 'other hosts'],
    ['/a/*/b\n  X-A: b', '* is allowed only at the end'],
  ])('reports %j', (text, words) => {
    const { headers, warnings } = readHeaders(text)
    expect(headers.isEmpty).toBe(true)
    expect(warnings.join()).toContain(words)
  })

  it('never fails, and never lets a header break its line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.webPath(), (text, path) => {
        const { headers } = readHeaders(`/*\n  X-Path: :splat\n/:a\n  X-A: :a ${text}`)
        for (const change of headers.match(path || '/'))
          if ('value' in change) expect(change.value.replaceAll('\t', '')).not.toMatch(/\p{Cc}/u)
      }),
    )
  })
})
