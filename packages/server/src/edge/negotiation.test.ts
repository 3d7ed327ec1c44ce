import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowsRange, evaluateConditions } from '../lib/conditions.ts'
import { contentType } from './content-types.ts'
import { preferenceOf } from './encodings.ts'
import { cacheControl, hasContentHash } from './freshness.ts'
import { readRange } from './ranges.ts'

describe('Accept-Encoding', () => {
  test.each([
    [undefined, []],
    ['', []],
    ['br', ['br']],
    ['gzip', ['gzip']],
    ['x-gzip', ['gzip']],
    ['GZIP, BR', ['br', 'gzip']],
    ['gzip, deflate, br, zstd', ['br', 'gzip']],
    ['gzip;q=1.0, br;q=0.5', ['gzip', 'br']],
    ['gzip;q=0.5,br;q=0.500', ['br', 'gzip']],
    ['br;q=0, gzip', ['gzip']],
    ['br;q=0.000,*', ['gzip']],
    ['*', ['br', 'gzip']],
    ['*;q=0', []],
    ['*;q=0, gzip', ['gzip']],
    ['identity', []],
    ['identity, gzip;q=0.5', []],
    ['identity;q=0.5, gzip;q=0.5', ['gzip']],
    ['identity;q=0', []],
    ['identity;q=0, *', ['br', 'gzip']],
    ['identity;q=0, br;q=0.1', ['br']],
    ['br;q=nonsense', []],
    ['br;q=2', []],
    [' br ; q=0.3 , ,', ['br']],
    ['deflate', []],
  ])('%j prefers %j', (header, codings) => {
    expect(preferenceOf(header).codings).toEqual(codings)
  })

  test.each([
    [undefined, true],
    ['', true],
    ['gzip', true],
    ['gzip;q=0', true],
    ['identity', true],
    ['*;q=0, identity;q=0.1', true],
    ['identity;q=0', false],
    ['Identity;Q=0.000', false],
    ['*;q=0', false],
    ['gzip, *;q=0', false],
  ])('%j takes a file as it is: %s', (header, takesIdentity) => {
    expect(preferenceOf(header).takesIdentity).toBe(takesIdentity)
  })
})

describe('Range of 100 bytes', () => {
  test.each([
    ['bytes=0-9', { start: 0, end: 10 }],
    ['bytes=10-', { start: 10, end: 100 }],
    ['bytes=-10', { start: 90, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['bytes=99-99', { start: 99, end: 100 }],
    ['bytes=90-1000', { start: 90, end: 100 }],
    ['Bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-99999999999999999999999', { start: 0, end: 100 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-0', undefined],
    ['bytes=0-1,5-6', undefined],
    ['bytes= 0 - 9 ', { start: 0, end: 10 }],
    ['bytes=\t-\t10', { start: 90, end: 100 }],
    ['bytes=0 0-9', undefined],
    ['bytes=--9', undefined],
    ['bytes=+1-9', undefined],
    ['bytes=0x1-9', undefined],
    ['bytes=1e1-', undefined],
    [`bytes=${' '.repeat(60_000)}x`, undefined],
    [`bytes=${' '.repeat(30_000)}1${' '.repeat(30_000)}x-`, undefined],
    ['bytes=-', undefined],
    ['bytes=a-b', undefined],
    ['bytes', undefined],
    ['items=0-1', undefined],
    [undefined, undefined],
  ])('%j is %j', (header, range) => {
    expect(readRange(header, 100)).toEqual(range)
  })

  test('that is empty cannot be satisfied', () => {
    expect(readRange('bytes=0-', 0)).toBe('unsatisfiable')
    expect(readRange('bytes=-5', 0)).toBe('unsatisfiable')
  })
})

describe('conditions', () => {
  const validators = { etag: '"abc"', modified: Date.UTC(2026, 0, 31, 12, 30, 15) }
  const same = 'Sat, 31 Jan 2026 12:30:15 GMT'
  const earlier = 'Sat, 31 Jan 2026 12:30:14 GMT'

  test.each([
    [{}, 'proceed'],
    [{ 'if-none-match': '"abc"' }, 'not-modified'],
    [{ 'if-none-match': 'W/"abc"' }, 'not-modified'],
    [{ 'if-none-match': '"x", "abc"' }, 'not-modified'],
    [{ 'if-none-match': '"x","y,z" ,W/"abc"' }, 'not-modified'],
    [{ 'if-none-match': 'w/"abc"' }, 'proceed'],
    [{ 'if-none-match': 'x"abc"' }, 'proceed'],
    [{ 'if-none-match': '"abc' }, 'proceed'],
    [{ 'if-none-match': '"ABC"' }, 'proceed'],
    [{ 'if-none-match': '*' }, 'not-modified'],
    [{ 'if-none-match': '"x"' }, 'proceed'],
    [{ 'if-none-match': 'abc' }, 'proceed'],
    [{ 'if-none-match': '"x"', 'if-modified-since': same }, 'proceed'],
    [{ 'if-modified-since': same }, 'not-modified'],
    [{ 'if-modified-since': 'Saturday, 31-Jan-26 12:30:15 GMT' }, 'not-modified'],
    [{ 'if-modified-since': 'Sat Jan 31 12:30:15 2026' }, 'not-modified'],
    [{ 'if-modified-since': earlier }, 'proceed'],
    [{ 'if-modified-since': 'yesterday' }, 'proceed'],
    [{ 'if-modified-since': '2030' }, 'proceed'],
    [{ 'if-match': '"abc"' }, 'proceed'],
    [{ 'if-match': '*' }, 'proceed'],
    [{ 'if-match': 'W/"abc"' }, 'precondition-failed'],
    [{ 'if-match': 'w/"abc"' }, 'precondition-failed'],
    [{ 'if-match': '"x"' }, 'precondition-failed'],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'precondition-failed'],
    [{ 'if-match': '"abc"', 'if-unmodified-since': earlier }, 'proceed'],
    [{ 'if-unmodified-since': earlier }, 'precondition-failed'],
    [{ 'if-unmodified-since': same }, 'proceed'],
    [{ 'if-unmodified-since': same, 'if-none-match': '"abc"' }, 'not-modified'],
  ])('%j: %s', (headers, verdict) => {
    expect(evaluateConditions(headers, validators)).toBe(verdict)
  })

  test.each([
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"x"', false],
    [same, true],
    [earlier, false],
    ['nonsense', false],
  ])('If-Range %j allows a range: %s', (header, allowed) => {
    expect(allowsRange(header, validators)).toBe(allowed)
  })
})

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('a name', () => {
  test.each([
    'app.3f2a9c1b.js',
    'index-DfG7_k2a.css',
    'a-b.c-0a1b2c3d4e.woff2',
    'chunk-2XJ7QKLM.js',
    'main.8e3f1c0d9b7a6f5e4d3c2b1a.css',
    '-3f2a9c1b.js',
  ])('like %s carries a content hash', name => {
    expect(hasContentHash(name)).toBe(true)
    expect(cacheControl(`assets/${name}`)).toBe('public, max-age=31536000, immutable')
  })

  test.each([
    'index.html',
    '3f2a9c1b.js',
    'app.3f2a9c1.js',
    'app-3f2a9c1b',
    'app.3f2a9c1b.js.map',
    'app-abcdefgh.js',
    'app-12345678.js',
    'report-20240131.pdf',
    'report-2024-01-31.pdf',
    'report-20240131T1200.pdf',
    'backup.20240131T103000Z.json',
    'backup-2024_01_31.json',
    'notes-31Jan2024.txt',
    'notes-january31.txt',
    'notes-2024march.txt',
    'lib-v20240131.js',
    'lib-v1_20_300.js',
    'lib-1_2_3beta4.js',
    'lib-version12.js',
    'lib.10.20.30.js',
    'jquery-3.7.1.min.js',
    'app-build2024.js',
    'app-3f2a9c1b/x.js',
    'app 3f2a9c1b.js',
  ])('like %s does not', name => {
    expect(hasContentHash(name)).toBe(false)
    expect(cacheControl(name)).toBe('public, max-age=0, must-revalidate')
  })

  test.each([
    '_next/static/chunks/main.js',
    '_next/static/Zx81bPq/_buildManifest.js',
    'docs/_next/static/css/app.css',
    '_astro/index.css',
    '_nuxt/entry.js',
    '_app/immutable/entry/start.js',
    'static/d41d8cd98f00b204e9800998ecf8427e/0a1b2/photo.jpg',
    'static/js/787.28cb0dcd.chunk.js',
    'assets/guide_index.md.BqhVzDkE.lean.js',
    'assets/guide_index.md.Bq-VzDkE.js',
    'assets/app.CTHIgqth.js',
    'docs/assets/chunks/theme.CNaJhn-A.js',
    'assets/chunks/@localSearchIndexroot.BqhVzDkE.js',
    'assets/index-BqhVzDkE.js',
    'app/assets/user-card-Bq-VzDkE.css',
    'chunk-ABCDEFGH.js',
    'build/routes/index-ABCDEFGH.js',
    'build/q-Bq-V_DkE.js',
  ])('like %s is made by a build that hashes', path => {
    expect(cacheControl(path)).toBe('public, max-age=31536000, immutable')
  })

  test.each([
    '_next/data/build/index.json',
    '_next/static',
    'my_next/static/x.js',
    '_nuxt/builds/latest.json',
    '_nuxt/builds/meta/0a1b2c3d.json',
    '_app/version.json',
    'page-data/app-data.json',
    'static/js/main.chunk.js',
    'static/photo.jpg',
    'static/js/app.js',
    'assets/index.md.js',
    'assets/chunks/theme.js',
    'assets/logo.png',
    'assets/index.js',
    'assets/user-Profile.js',
    'assets/12345678.png',
    'assets/app-3f2a9c1b',
    'my-assets/icon-LinkedIn.svg',
    'photos/icon-LinkedIn.svg',
    'main-version.js',
    'build/main.js',
    'build/bundle-original.js',
    'build/q-data.json',
  ])('like %s beside them is not', path => {
    expect(cacheControl(path)).toBe('public, max-age=0, must-revalidate')
  })

  test('in the folder of a bundler that ends in eight or more characters of base64url is hashed, whatever they are', () => {
    const hash = fc.array(fc.constantFrom(...base64url), { minLength: 8, maxLength: 24 })
    const parts = fc.record({
      folder: fc.constantFrom('assets/', 'docs/assets/', 'assets/chunks/', '_astro/', '_next/static/media/'),
      stem: fc.constantFrom('logo', 'Inter-Regular', 'user card', '@fontsource', ''),
      mark: fc.constantFrom('-', '.'),
      hash: hash.map(chars => chars.join('')),
      extension: fc.constantFrom('png', 'svg', 'woff2', 'js', 'css', 'avif'),
    })
    fc.assert(
      fc.property(parts, ({ folder, stem, mark, hash, extension }) => {
        const path = `${folder}${stem}${mark}${hash}.${extension}`
        expect(cacheControl(path), path).toBe('public, max-age=31536000, immutable')
      }),
      { numRuns: 2_000 },
    )
  })

  test('is judged without its directories', () => {
    expect(cacheControl('app-3f2a9c1b/index.html')).toBe('public, max-age=0, must-revalidate')
  })

  test.each([
    ['a.html', 'text/html; charset=utf-8'],
    ['a.HTML', 'text/html; charset=utf-8'],
    ['a.css', 'text/css; charset=utf-8'],
    ['a.js', 'text/javascript; charset=utf-8'],
    ['a.mjs', 'text/javascript; charset=utf-8'],
    ['a.json', 'application/json; charset=utf-8'],
    ['a.js.map', 'application/json; charset=utf-8'],
    ['a.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['a.xml', 'application/xml; charset=utf-8'],
    ['a.svg', 'image/svg+xml; charset=utf-8'],
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.wasm', 'application/wasm'],
    ['a.ttf', 'font/ttf'],
    ['a.png', 'image/png'],
    ['a.woff2', 'font/woff2'],
    ['a.mp4', 'video/mp4'],
    ['a.unheardof', 'application/octet-stream'],
    ['html', 'application/octet-stream'],
    ['x.js/html', 'application/octet-stream'],
    ['LICENSE', 'application/octet-stream'],
  ])('%s has the type %s', (name, type) => {
    expect(contentType(name)).toBe(type)
  })
})
