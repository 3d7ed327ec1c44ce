// Netlify's own parser reads what is written for a rule of netlify.toml as it reads the rule itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseAllRedirects } from 'netlify-redirect-parser'
import { afterAll, describe, expect, it } from 'vitest'
import { Findings } from '../findings.ts'
import { netlifyRedirects } from './rules.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-netlify-'))
/** Its types ask for more than it needs. */
const parse = parseAllRedirects as unknown as (
  input: object,
) => Promise<{ redirects: unknown[]; errors: unknown[] }>

afterAll(() => rmSync(dir, { recursive: true, force: true }))

const segment = fc.constantFrom('/a', '/news', '/:id', '/b.html', '/c-d')
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map(parts => [...new Set(parts)].join(''))
const from = fc.oneof(
  path,
  path.map(text => `${text}/*`),
  path.map(text => `https://old.example.com${text}`),
)
const to = fc.constantFrom(
  '/to',
  '/to/:id',
  '/to/:splat',
  'https://new.example.com/:splat',
  '/to?x=1',
  '/to#part',
)
const rule = fc.record(
  {
    from,
    to,
    status: fc.constantFrom(301, 302, 307, 404),
    force: fc.boolean(),
    query: fc.constantFrom({}, { id: ':id' }, { a: 'b', c: ':c' }),
  },
  { requiredKeys: ['from', 'to'] },
)

describe('a redirect of netlify.toml', () => {
  it('means the same in _redirects, to the parser of Netlify', async () => {
    await fc.assert(
      fc.asyncProperty(rule, async rule => {
        if (rule.status === 404 && !rule.to.startsWith('/')) return
        const findings = new Findings()
        const file = join(dir, '_redirects')
        writeFileSync(file, netlifyRedirects([rule], findings).join('\n'))
        expect(findings.list).toEqual([])
        const written = await parse({ redirectsFiles: [file], minimal: true })
        const original = await parse({ configRedirects: [{ status: 301, ...rule }], minimal: true })
        expect([written.errors, original.errors]).toEqual([[], []])
        expect(written.redirects).toEqual(original.redirects)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    [{ from: '/a', to: '/b', conditions: { Country: ['de'] } }, 'the condition Country'],
    [{ from: '/a', to: '/b', conditions: { Role: ['admin'] } }, 'the condition Role'],
    [{ from: '/a', to: 'https://x.example/', status: 200 }, 'proxies none'],
    [{ from: '/a', to: 'https://x.example/', status: 200, signed: 'KEY' }, "'signed'"],
    [{ from: '/a/*', to: '/.netlify/functions/:splat', status: 200 }, 'a function or a service of Netlify'],
    [{ from: '/a', to: '/b', status: 410 }, 'the status 410'],
    [{ to: '/b' }, "no 'from'"],
  ])('%j is not translated, and the warning says why', (rule, words) => {
    const findings = new Findings()
    expect(netlifyRedirects([rule], findings)).toEqual([])
    expect(findings.list[0]).toMatchObject({ level: 'warning', text: expect.stringContaining(words) })
  })
})
