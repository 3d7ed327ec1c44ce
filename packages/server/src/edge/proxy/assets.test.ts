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

  test('what is not a GET or HEAD, too', async () => {
    expect((await bed.ask('next', '/logo.svg', { method: 'POST' })).text).toBe('app POST /logo.svg')
    expect((await bed.ask('next', '/logo.svg', { method: 'HEAD' })).headers['content-length']).toBe('4')
  })
})
