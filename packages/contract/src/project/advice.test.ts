import { describe, expect, test } from 'vitest'
import { adviseOn } from './advice.ts'
import type { SiteFiles } from './files.ts'

const siteOf = (contents: Record<string, string>): SiteFiles => ({
  paths: () => Object.keys(contents),
  sizeOf: path => (Object.hasOwn(contents, path) ? contents[path]!.length : undefined),
  text: async path => contents[path] ?? '',
})

const advise = (contents: Record<string, string>) =>
  adviseOn(siteOf(contents), (folder, modules) => `svc deploy ${folder}${modules ? ' --node-modules' : ''}`)

const scripts = (table: Record<string, string>, more: object = {}) => ({
  'package.json': JSON.stringify({ scripts: table, ...more }),
})
const files = (...paths: string[]) => Object.fromEntries(paths.map(path => [path, '']))
const vitePage = '<!doctype html><div id=root></div><script type="module" src="/src/main.tsx"></script>'

describe('nothing is said about', () => {
  test.each([
    ['a built site', files('index.html', 'assets/index-DfG7_k2a.js')],
    ['a built site with a package.json', { 'index.html': '', ...scripts({ build: 'x' }) }],
    ['a page that loads scripts of its own', { 'index.html': '<script src="src/app.js"></script>' }],
    ['a page that loads scripts of others', { 'index.html': '<script src=//cdn.example/x.ts></script>' }],
    ['a folder of plain files', files('video.mp4', 'list.txt')],
    ['a front page by a rule', { 'home.html': '', _redirects: '/ /home 200' }],
    [
      'Next.js standalone',
      { ...files('server.js', '.next/BUILD_ID'), ...scripts({ build: 'next build', start: 'next start' }) },
    ],
    ['Nitro', files('nitro.json', 'server/index.mjs', 'public/index.html')],
    ['SvelteKit', files('index.js', 'handler.js')],
    ['an Express app', { 'server.js': '', 'public/index.html': '', ...scripts({ start: 'node server.js' }) }],
    [
      'a built Express app',
      { 'dist/index.js': '', ...scripts({ start: 'node dist/index.js', build: 'tsc' }) },
    ],
    [
      'an Express app with a built client',
      { ...files('server.js', 'build/index.html'), ...scripts({ start: 'node server.js', build: 'x' }) },
    ],
  ])('%s', async (_, contents) => {
    expect((await advise(contents as Record<string, string>)).advice).toEqual([])
  })
})

describe("the output of 'vercel build'", () => {
  const made = { 'config.json': '{"version":3,"routes":[]}', 'static/index.html': '' }

  test('is no site at its top: its pages are in a folder', async () => {
    expect((await advise(made)).advice).toEqual([
      {
        text: "This is what 'vercel build' made. Its pages are in static/. Deploy them: svc deploy static",
        output: { folder: 'static', needsModules: false },
        asks: true,
      },
    ])
  })

  test('with functions needs its sources, because these functions run nowhere else', async () => {
    const [advice] = (await advise({ ...made, 'functions/index.func/.vc-config.json': '{}' })).advice
    expect(advice?.text).toContain('Its functions run only there. Deploy the sources')
    expect(advice?.output).toBeUndefined()
  })

  test.each<[string, Record<string, string>]>([
    ['settings of something else', { ...made, 'config.json': '{"version":2}' }],
    ['settings that are no JSON', { ...made, 'config.json': '{' }],
    ['a page at the top', { ...made, 'index.html': '' }],
  ])('is not suspected of %s', async (_, contents) => {
    const { advice } = await advise(contents)
    expect(advice.map(({ text }) => text).join()).not.toContain('vercel')
  })
})

describe('sources that are not built', () => {
  test.each([
    [
      'of Vite',
      { 'index.html': vitePage, ...scripts({ build: 'tsc && vite build' }) },
      'then deploy its output: svc deploy dist',
    ],
    [
      'of Vite, built',
      { 'index.html': vitePage, 'dist/index.html': '', ...scripts({ build: 'vite build' }) },
      'svc deploy dist',
    ],
    [
      'of Vite in plain JavaScript',
      { 'index.html': '<script src="/src/main.js"></script>', ...scripts({ build: 'vite build' }) },
      'index.html loads /src/main.js',
    ],
    ['without package.json', { 'index.html': vitePage }, 'index.html loads /src/main.tsx'],
    [
      'of Create React App',
      { 'public/index.html': '', ...scripts({ start: 'react-scripts start', build: 'react-scripts build' }) },
      'svc deploy build',
    ],
    [
      'of Next.js',
      { 'app/page.jsx': '', ...scripts({ build: 'next build' }) },
      'svc deploy .next/standalone --node-modules',
    ],
    [
      'of Next.js, with its start script',
      { 'app/page.jsx': '', ...scripts({ build: 'next build', start: 'next start' }) },
      "Set output: 'standalone' in next.config, run 'npm run build', then: svc deploy .next/standalone --node-modules",
    ],
    [
      'of Next.js, exported',
      {
        ...files('out/index.html', '.next/BUILD_ID'),
        ...scripts({ build: 'next build', start: 'next start' }),
      },
      'svc deploy out',
    ],
    [
      'of Next.js, standalone',
      { ...files('.next/standalone/server.js'), ...scripts({ build: 'next build', start: 'next start' }) },
      'svc deploy .next/standalone --node-modules',
    ],
    [
      'of Nuxt, built',
      { ...files('.output/nitro.json', '.output/server/index.mjs'), ...scripts({ build: 'nuxt build' }) },
      'svc deploy .output --node-modules',
    ],
    [
      'of SvelteKit, built',
      { ...files('build/index.js', 'build/handler.js'), ...scripts({ build: 'vite build' }) },
      'svc deploy build',
    ],
    [
      'of Vite, without a folder src',
      { 'index.html': '<script type="module" src="/main.js"></script>', ...scripts({ build: 'vite build' }) },
      'svc deploy dist',
    ],
    [
      'of Vite, without a build script',
      { 'index.html': '', ...scripts({ start: 'vite' }) },
      "package.json has the script 'vite'",
    ],
    [
      'of Gatsby, built',
      { 'public/index.html': '', ...scripts({ build: 'gatsby build' }) },
      'svc deploy public',
    ],
    [
      'of Angular, built',
      { 'dist/shop/browser/index.html': '', ...scripts({ build: 'ng build' }) },
      'svc deploy dist/shop/browser',
    ],
    [
      'with a page of their own beside the output',
      { ...files('index.html', 'build/index.html'), ...scripts({ build: 'x' }) },
      'svc deploy build',
    ],
    ['in folders without a front page', files('a.txt', 'out/index.html'), 'svc deploy out'],
    ['in a folder without a front page', files('about.html'), 'the front page of the site is a 404'],
    [
      'of a server',
      { ...scripts({ start: 'node dist/index.js', build: 'tsc' }) },
      "dist/index.js is not in the upload. Build it first: 'npm run build'.",
    ],
  ])('%s are named, and asked about', async (_, contents, words) => {
    const { advice } = await advise(contents as Record<string, string>)
    expect(advice).toEqual([expect.objectContaining({ text: expect.stringContaining(words), asks: true })])
  })

  test('are named together with the folder of the upload that holds the build', async () => {
    const { advice } = await advise({ 'index.html': vitePage, 'dist/index.html': '' })
    expect(advice[0]!.output).toEqual({ folder: 'dist', needsModules: false })
    expect((await advise({ 'index.html': vitePage })).advice[0]!.output).toBeUndefined()
  })
})

test('a start command that the platform cannot read is told before the upload', async () => {
  expect(await advise(files('Procfile', 'server.js'))).toMatchObject({
    warnings: ['The Procfile has no web: line, so it starts no server.'],
  })
})

describe('a server whose sources would be public is named', () => {
  test.each([
    [
      'beside a page',
      { ...files('index.html', 'server.js'), ...scripts({ start: 'node server.js' }) },
      'web: node server.js',
    ],
    ['with an unknown start script', scripts({ start: 'my-runner --now' }), 'web: my-runner --now'],
    [
      'in the standalone build of a repository of several packages',
      files('apps/web/server.js', 'apps/web/.next/BUILD_ID', 'package.json'),
      'web: node apps/web/server.js',
    ],
    [
      'without a start script',
      { ...scripts({}, { dependencies: { express: '5' }, main: 'app.js' }) },
      'web: node app.js',
    ],
  ])('%s', async (_, contents, words) => {
    const { app, advice } = await advise(contents as Record<string, string>)
    expect(app).toBeUndefined()
    expect(advice).toEqual([{ text: expect.stringContaining(words), asks: true }])
  })
})

test('packages that a server declares and does not bring are noticed', async () => {
  const app = { 'server.js': '', ...scripts({ start: 'node server.js' }, { dependencies: { express: '5' } }) }
  expect(await advise(app)).toMatchObject({ lacksModules: true })
  expect(await advise({ ...app, 'node_modules/express/index.js': '' })).toMatchObject({ lacksModules: false })
  expect(await advise({ ...app, 'index.html': '' })).toMatchObject({ lacksModules: false })
})

test('files with secrets are named, but not their examples', async () => {
  const { advice } = await advise(files('index.html', '.env', 'api/.env.production', '.env.example'))
  expect(advice.map(({ text, asks }) => [text.split(' ')[0], asks])).toEqual([
    ['.env', false],
    ['api/.env.production', false],
  ])
})

test('text from the files appears in messages on one line, cut short', async () => {
  const { advice } = await advise(scripts({ start: `evil\u001b[2J\n${'x'.repeat(5000)}` }))
  for (const steering of ['\u001b', '\n']) expect(advice[0]!.text).not.toContain(steering)
  expect(advice[0]!.text.length).toBeLessThan(600)
})
