// Configuration files may hold anything. Reading them never crashes, and every line that is written is one that the platform
// applies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { Imported } from './imported.ts'
import { readNetlifyConfig } from './netlify/config.ts'
import { parseConfig } from './parse-config.ts'
import { ProjectFiles } from './project-files.ts'
import { headerLines } from './rules/rule-lines.ts'
import { readHeaders, readRedirects } from './testing/engine.ts'
import type { Fields } from './untrusted.ts'
import { readVercelConfig } from './vercel/config.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-fuzz-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const files = new ProjectFiles(dir)

const piece = fc.constantFrom(
  ...[
    '/',
    '/a',
    'b',
    ':a',
    ':b*',
    ':c+',
    ':d?',
    '*',
    '(',
    ')',
    '(.*)',
    '(.+)',
    '([^/]+)',
    '(en|de)',
    '((?!x).*)',
    '((?!a b|\n).*)',
    '{',
    '}',
  ],
  ...[
    '\\',
    '\\.',
    '.',
    '|',
    '?',
    '+',
    '$1',
    ' ',
    '#',
    '%2F',
    '%',
    'é',
    '\u001b[2J',
    '\n',
    '\0',
    '=',
    '!',
    'https://h.example',
    ':80',
  ],
)
const text = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join('')),
  fc.array(piece, { maxLength: 6 }).map(pieces => `/${pieces.join('')}`),
)
const anything = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>)
const status = fc.oneof(fc.constantFrom(200, 301, 302, 307, 308, 404, 418, '301', null), anything)
const some = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 5, arbitrary: fc.array(value, { maxLength: 3 }) }, { weight: 1, arbitrary: anything })

const has = some(
  fc.record(
    { type: fc.constantFrom('host', 'query', 'header', 'cookie', 1), key: text, value: anything },
    { requiredKeys: [] },
  ),
)
const vercelRule = fc.record(
  {
    source: text,
    src: text,
    destination: text,
    dest: text,
    permanent: fc.constantFrom(true, false, 1),
    statusCode: status,
    status,
    has,
    missing: has,
  },
  { requiredKeys: [] },
)
const vercelHeaders = fc.record({
  source: text,
  headers: some(fc.record({ key: anything, value: anything })),
})
const vercel = fc.record(
  {
    redirects: some(vercelRule),
    rewrites: some(vercelRule),
    routes: some(vercelRule),
    headers: some(vercelHeaders),
    crons: some(fc.record({ path: text, schedule: text })),
    functions: anything,
    builds: some(fc.record({ src: anything, use: anything, config: anything })),
    env: anything,
    git: anything,
    cleanUrls: anything,
  },
  { requiredKeys: [] },
)

const netlifyRule = fc.record(
  {
    from: text,
    to: text,
    status,
    force: anything,
    query: anything,
    conditions: anything,
    headers: anything,
    signed: anything,
  },
  { requiredKeys: [] },
)
const netlify = fc.record(
  {
    build: anything,
    context: anything,
    redirects: some(netlifyRule),
    headers: some(fc.record({ for: text, values: anything })),
    functions: anything,
    edge_functions: anything,
    plugins: some(fc.record({ package: anything })),
  },
  { requiredKeys: [] },
)

/** Rules that lead to themselves, and numbers of rules, are no faults of the translation. */
const isFault = (warning: string): boolean => /ignored/.test(warning) && !/to itself|more than/.test(warning)

function check(imported: Imported): void {
  const redirects = readRedirects(imported.redirects.join('\n')).warnings().filter(isFault)
  const headers = readHeaders(imported.headers.flatMap(headerLines).join('\n')).warnings.filter(isFault)
  expect({ redirects, headers }).toEqual({ redirects: [], headers: [] })
  for (const line of imported.redirects) expect(line).not.toContain('\n')
}

describe('a configuration of any content', () => {
  it('of Vercel is read, and every rule that is written applies', () => {
    fc.assert(
      fc.property(vercel, config => {
        const imported = new Imported('vercel')
        readVercelConfig('vercel.json', config as Fields, imported)
        check(imported)
      }),
      { numRuns: 300 },
    )
  })

  it('of Netlify is read, and every rule that is written applies', () => {
    fc.assert(
      fc.property(netlify, config => {
        const imported = new Imported('netlify')
        readNetlifyConfig(config as Fields, files, imported)
        check(imported)
      }),
      { numRuns: 300 },
    )
  })

  it('of Netlify is not written if its headers are for a path that begins with a wildcard', () => {
    const imported = new Imported('netlify')
    readNetlifyConfig({ headers: [{ for: '*/', values: { 'X-A': 'b' } }] } as Fields, files, imported)
    expect(imported.headers).toEqual([])
    check(imported)
  })

  it('of Netlify is not written if its host is no host name', () => {
    const imported = new Imported('netlify')
    readNetlifyConfig({ redirects: [{ from: 'https://h.example ', to: '/x' }] } as Fields, files, imported)
    check(imported)
  })

  it('that cannot be parsed is a failure with words', async () => {
    const word = fc.constantFrom(
      '[',
      ']',
      '[[',
      ']]',
      '=',
      '"',
      "'''",
      '\n',
      'a',
      '1',
      '{',
      '}',
      ',',
      '.',
      '#',
      '\u001b',
      '0x',
      '1979-05-27',
    )
    const source = fc.array(word, { maxLength: 20 }).map(words => words.join(''))
    await fc.assert(
      fc.asyncProperty(source, fc.constantFrom('netlify.toml', 'vercel.json'), async (text, path) => {
        const error: unknown = await parseConfig(path, text).catch(error => error)
        if (error instanceof Error) expect(error).toBeInstanceOf(Failure)
      }),
      { numRuns: 500 },
    )
  })
})
