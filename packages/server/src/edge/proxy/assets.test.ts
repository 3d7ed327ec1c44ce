import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from './testapp.ts'

let bed: TestApp

beforeAll(async () => {
  bed = await startTestApp((req, res) => res.end(`app ${req.method} ${req.url}`))
  await bed.deployApp(
    'next',
    {
      'server.js': 'x',
      '.next/static/chunks/main.js': 'main',
      'public/logo.svg': 'logo',
      'package.json': '{}',
    },
    {},
    { framework: 'next' },
  )
  await bed.deployApp(
    'nitro',
    {
      'nitro.json': '{}',
      'server/index.mjs': 'x',
      'public/_nuxt/abc.js': 'nuxt',
      'public/_nuxt/builds/latest.json': '{}',
      'public/robots.txt': 'robots',
    },
    {},
    { framework: 'nitro' },
  )
  await bed.deployApp(
    'kit',
    { 'index.js': 'x', 'handler.js': 'x', 'client/_app/immutable/a.js': 'kit', 'client/favicon.png': 'icon' },
    {},
    { framework: 'sveltekit' },
  )
  await bed.deployApp(
    'astro',
    { 'server/entry.mjs': 'x', 'client/_astro/a.css': 'astro', 'client/about/index.html': 'about' },
    {},
    { framework: 'astro' },
  )
  await bed.deployApp(
    'ruled',
    {
      'index.js': 'x',
      'handler.js': 'x',
      'client/logo.svg': 'logo',
      'client/moved.svg': 'never seen',
      'client/_headers': '/logo.svg\n  X-Brand: ours\n/*\n  X-All: yes',
      _redirects:
        '/old/* /new/:splat 302\n/logo.svg /elsewhere\n/moved.svg /logo.svg 301!\n/shown /logo.svg 200',
    },
    {},
    { framework: 'sveltekit' },
  )
})

afterAll(() => bed.stop())

const forEver = 'public, max-age=31536000, immutable'
const askEachTime = 'public, max-age=0, must-revalidate'

describe('the edge serves by itself', () => {
  test.each([
    ['next', '/_next/static/chunks/main.js', 'main', forEver],
    ['next', '/logo.svg', 'logo', askEachTime],
    ['nitro', '/_nuxt/abc.js', 'nuxt', forEver],
    ['nitro', '/_nuxt/builds/latest.json', '{}', askEachTime],
    ['nitro', '/robots.txt?x', 'robots', askEachTime],
    ['kit', '/_app/immutable/a.js', 'kit', forEver],
    ['kit', '/favicon.png', 'icon', askEachTime],
    ['astro', '/_astro/a.css', 'astro', forEver],
  ])('of %s: %s', async (project, path, text, cacheControl) => {
    for (const cache of ['MISS', 'HIT']) {
      const answer = await bed.ask(project, path)
      expect(answer).toMatchObject({ status: 200, text })
      expect(answer.headers).toMatchObject({ 'cache-control': cacheControl, 'x-svc-cache': cache })
    }
  })
})

describe('the rules of a server deployment', () => {
  test('send visitors elsewhere before the app is asked, but not where a file exists, unless they insist', async () => {
    const old = await bed.ask('ruled', '/old/page?a=1')
    expect([old.status, old.headers.location]).toEqual([302, '/new/page?a=1'])
    expect((await bed.ask('ruled', '/logo.svg')).text).toBe('logo')
    expect((await bed.ask('ruled', '/moved.svg')).headers.location).toBe('/logo.svg')
  })

  test('set headers of the files that the edge serves, and none of the app', async () => {
    // From storage, and from memory.
    for (let i = 0; i < 2; i++)
      expect((await bed.ask('ruled', '/logo.svg')).headers).toMatchObject({
        'x-brand': 'ours',
        'x-all': 'yes',
      })
    expect((await bed.ask('ruled', '/page')).headers['x-all']).toBeUndefined()
  })

  test('leave to the app what they cannot do, and are no files for visitors', async () => {
    for (const path of ['/shown', '/_redirects', '/_headers', '/client/_headers'])
      expect((await bed.ask('ruled', path)).text).toBe(`app GET ${path}`)
    expect((await bed.ask('ruled', '/old/page', { method: 'POST' })).text).toBe('app POST /old/page')
  })
})

describe('everything else is for the app', () => {
  test.each([
    ['next', '/'],
    ['next', '/server.js'],
    ['next', '/package.json'],
    ['next', '/.next/static/chunks/main.js'],
    ['next', '/_next/static/../../server.js'],
    ['next', '/_next/static/%2e%2e/%2e%2e/server.js'],
    ['next', '/public/logo.svg'],
    ['next', '/_next/static/gone.js'],
    ['nitro', '/server/index.mjs'],
    ['kit', '/handler.js'],
    ['astro', '/about/'],
    ['astro', '/about'],
    ['shop', '/server.js'],
  ])('of %s: %s', async (project, path) => {
    expect((await bed.ask(project, path)).text).toBe(`app GET ${path}`)
  })

  test('also requests other than GET and HEAD', async () => {
    expect((await bed.ask('next', '/logo.svg', { method: 'POST' })).text).toBe('app POST /logo.svg')
    expect((await bed.ask('next', '/logo.svg', { method: 'HEAD' })).headers['content-length']).toBe('4')
  })
})
