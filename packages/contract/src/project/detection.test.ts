import { describe, expect, test } from 'vitest'
import { detectServer } from './detection.ts'
import type { SiteFiles } from './files.ts'

const siteOf = (contents: Record<string, string>): SiteFiles => ({
  paths: () => Object.keys(contents),
  sizeOf: path => (Object.hasOwn(contents, path) ? contents[path]!.length : undefined),
  text: async path => contents[path] ?? '',
})

const withStart = (start: string, files: Record<string, string> = {}, more: object = {}) =>
  detectServer(siteOf({ 'package.json': JSON.stringify({ scripts: { start, ...more } }), ...files }))

describe('a start script', () => {
  test.each([
    ['node server.js', 'start'],
    ['node .', 'start'],
    ['NODE_ENV=production node --enable-source-maps -r dotenv/config dist/index.js', 'start'],
    ['cross-env NODE_ENV=production node ./dist/main', 'start'],
    ['npm run build && node server.js', 'start'],
    ['NODE_OPTIONS="--inspect --trace-warnings" node server.js', 'start'],
    ['pm2-runtime start server.js', 'start'],
    ['npm run serve', 'start', { serve: 'node server.js' }],
    ['yarn serve', 'start', { serve: 'node server.js' }],
    ['yarn node server.js', 'start'],
    ['pnpm exec tsx src/server.ts', 'start'],
    ['npx tsx src/server.ts', 'start'],
    ['dotenv -e .env -- node server.js', 'start'],
    ['nodemon server.js', 'start'],
    ['tsx src/server.ts', 'start'],
    ['bun run src/server.ts', 'start'],
    ['./bin/www', 'start', {}, { 'bin/www': '' }],
    ['fastify start -l info app.js', 'start'],
    ['next start', 'next-start'],
    ['next start -p $PORT', 'next-start'],
    ['node_modules/.bin/next start', 'next-start'],
    ['react-router-serve ./build/server/index.js', 'react-router'],
    ['remix-serve ./build/server/index.js', 'react-router'],
    ['cd server && node index.js', 'start'],
    ['npm start --workspace web', 'start'],
    ['npm run start -w apps/web', 'start'],
    ['npm --prefix apps/web run start:prod', 'start'],
    ['yarn workspace web start', 'start'],
    ['pnpm --filter=web start', 'start'],
  ] as [string, string, object?, Record<string, string>?][])(
    "'%s' makes a server",
    async (start, framework, more = {}, files = {}) => {
      const { app, warnings } = await withStart(start, files, more)
      expect(app).toEqual({ framework, command: ['/bin/sh', '-c', start] })
      expect(warnings).toEqual([])
    },
  )

  test.each([
    'vite',
    'vite preview',
    'react-scripts start',
    'next dev',
    'next',
    'serve -s build',
    'npx serve build',
    'http-server',
    'ng serve',
    'gatsby develop',
    'astro dev',
    'nest start',
    'webpack serve --mode development',
    'eleventy --serve',
    'npm start',
    'npm run vite',
    'npm run dev --workspace web',
    'some-tool',
    'run-p dev:*',
    '   ',
    'constructor',
  ])("'%s' makes none", async start => {
    expect(await withStart(start, {}, { vite: 'vite' })).toEqual({ app: undefined, warnings: [] })
  })

  test('of Nest is the one for production', async () => {
    const { app } = await withStart('nest start', { 'dist/main.js': '' }, { 'start:prod': 'node dist/main' })
    expect(app?.command).toEqual(['/bin/sh', '-c', 'node dist/main'])
  })

  test('makes no server of a site with a page', async () => {
    expect(await withStart('node server.js', { 'index.html': '', 'server.js': '' })).toEqual({
      app: undefined,
      warnings: [],
    })
  })

  test('that is missing is what npm takes it for', async () => {
    const { app } = await detectServer(siteOf({ 'package.json': '{}', 'server.js': '' }))
    expect(app?.command).toEqual(['/bin/sh', '-c', 'node server.js'])
  })

  test('comes after everything else', async () => {
    expect((await withStart('node a.js', { Procfile: 'web: node b.js' })).app?.framework).toBe('procfile')
    expect((await withStart('node a.js', { 'server.js': '', '.next/BUILD_ID': '' })).app?.framework).toBe(
      'next',
    )
  })

  test.each([
    [
      'NODE_ENV=production node server.js --fast',
      ['/bin/sh', '-c', 'NODE_ENV=production node server.js --fast'],
    ],
    ['node server.js', ['node', 'server.js']],
    ['next start', ['node', 'server.js']],
    ['node missing.js', ['node', 'server.js']],
    ['pm2-runtime server.js', ['node', 'server.js']],
  ])(
    'starts server.js beside .next/ as the start script %s says, if Node runs it',
    async (start, command) => {
      const { app } = await withStart(start, { 'server.js': '', '.next/BUILD_ID': '' })
      expect(app).toEqual({ framework: 'next', command })
    },
  )

  test('of any length and kind does not take long', async () => {
    for (const start of ['a && '.repeat(50_000), 'cross-env '.repeat(20_000), 'A=1 '.repeat(50_000)])
      expect((await withStart(start)).app).toBeUndefined()
  })
})
