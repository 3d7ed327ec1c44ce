import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isServed, resolve } from './resolve.ts'
import { readTarget } from './targets.ts'

const names = new Set([
  'index.html',
  '404.html',
  'about.html',
  'docs/index.html',
  'both.html',
  'both/index.html',
  'plain',
  'plain.html',
  'file.txt',
  'dir/page.html',
  '.env',
  '.well-known/security.txt',
  'a/.git/config',
  '_redirects',
  '_headers',
  'Procfile',
  'sub/_headers',
  '_svc/index.html',
  '_svc/x.txt',
  'a b.html',
])
const look = (url: string) => resolve(readTarget(url)!, name => (names.has(name) ? name : undefined))
const file = (name: string) => ({ to: 'file', file: name })
const redirect = (location: string) => ({ to: 'redirect', location })
const missing = { to: 'missing' }

describe('a path', () => {
  test.each([
    ['/', file('index.html')],
    ['/index', file('index.html')],
    ['/index.html', file('index.html')],
    ['/about', file('about.html')],
    ['/about?x=1', file('about.html')],
    ['/about/', redirect('/about')],
    ['/about/?x=1&y=/', redirect('/about?x=1&y=/')],
    ['/about%2F', redirect('/about')],
    ['/docs', redirect('/docs/')],
    ['/docs?x=1', redirect('/docs/?x=1')],
    ['/docs/', file('docs/index.html')],
    ['/docs%2f', file('docs/index.html')],
    ['/both', file('both.html')],
    ['/both/', file('both/index.html')],
    ['/plain', file('plain')],
    ['/plain/', redirect('/plain')],
    ['/file.txt', file('file.txt')],
    ['/file.txt/', missing],
    ['/dir', missing],
    ['/dir/', missing],
    ['/dir/page', file('dir/page.html')],
    ['/dir%2Fpage', file('dir/page.html')],
    ['/a%20b', file('a b.html')],
    ['/a%20b/', redirect('/a%20b')],
    ['//about', missing],
    ['//about/', missing],
    ['/.env', missing],
    ['/.', missing],
    ['/./about', missing],
    ['/.well-known/security.txt', file('.well-known/security.txt')],
    ['/a/.git/config', missing],
    ['/_redirects', missing],
    ['/_headers', missing],
    ['/Procfile', missing],
    ['/sub/_headers', file('sub/_headers')],
    ['/_svc', missing],
    ['/_svc/', missing],
    ['/_svc/x.txt', missing],
    ['/%5Fsvc/x.txt', missing],
    ['/ABOUT', missing],
  ])('%s resolves to %j', (url, resolution) => {
    expect(look(url)).toEqual(resolution)
  })

  test('resolves as a plain reading of the rules says', () => {
    const segment = fc.constantFrom(
      'a',
      'b',
      'index',
      'index.html',
      'a.html',
      '.x',
      '.well-known',
      '_svc',
      '',
    )
    const path = fc.array(segment, { maxLength: 4 }).map(segments => `/${segments.join('/')}`)
    const tree = fc.array(
      fc.array(segment, { minLength: 1, maxLength: 3 }).map(segments => segments.join('/')),
    )
    fc.assert(
      fc.property(path, tree, (url, files) => {
        const found = resolve(readTarget(url)!, name => (files.includes(name) ? name : undefined))
        expect(found).toEqual(naive(url, files))
      }),
      { numRuns: 2000 },
    )
  })

  test('never leads to another host', () => {
    const url = fc.stringMatching(/^[/\\]{1,4}(evil\.com|%2f|%5c|a)[/\\]?$/)
    fc.assert(
      fc.property(
        url.map(text => `/${text}`),
        text => {
          const found = resolve(readTarget(text)!, name => name)
          const anything = resolve(readTarget(text)!, name => (/\.html$/.test(name) ? name : undefined))
          for (const resolution of [found, anything]) {
            if (resolution.to !== 'redirect') continue
            expect(new URL(resolution.location, 'http://shop.example.test').host).toBe('shop.example.test')
          }
        },
      ),
    )
  })
})

/** The rules of the contract, written down as they are read. */
function naive(path: string, files: string[]) {
  const has = (name: string) =>
    files.includes(name) &&
    name.split('/').every(segment => segment[0] !== '.' || segment === '.well-known') &&
    name.split('/')[0] + (name.includes('/') ? '/' : '') !== '_svc/'
  const p = path.slice(1)
  if (p === '' || p.endsWith('/')) {
    const stem = p.slice(0, -1)
    if (has(p === '' ? 'index.html' : `${stem}/index.html`)) return file(`${p}index.html`)
    return p !== '' && has(`${stem}.html`) ? redirect(path.slice(0, -1).replace(/^\/+/, '/')) : missing
  }
  if (has(p)) return file(p)
  if (has(`${p}.html`)) return file(`${p}.html`)
  return has(`${p}/index.html`) ? redirect(`${path.replace(/^\/+/, '/')}/`) : missing
}

describe('files for visitors', () => {
  test.each([
    'index.html',
    'a/b',
    '.well-known/x',
    'a/.well-known/x',
    'x/_redirects',
    '_svc',
    '_svcx/a',
    'a..b',
    'a.',
  ])('include %s', name => expect(isServed(name)).toBe(true))

  test.each([
    '.env',
    'a/.b',
    '.well-known/.x',
    '.well-knownx',
    '_redirects',
    '_headers',
    'Procfile',
    '_svc/a',
    '.',
    'a/.',
  ])('do not include %s', name => expect(isServed(name)).toBe(false))
})
