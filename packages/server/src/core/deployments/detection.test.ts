import { expect, test } from 'vitest'
import { type AppFiles, describeCommand, detectApp } from './detection.ts'

function filesOf(contents: Record<string, string>): AppFiles {
  const fileAt = (path: string) => ({
    path,
    offset: 0,
    size: Buffer.byteLength(contents[path] ?? ''),
    sha256: '',
  })
  return {
    find: path => (Object.hasOwn(contents, path) ? fileAt(path) : undefined),
    *files() {
      for (const path of Object.keys(contents).sort()) yield fileAt(path)
    },
    read: async file => Buffer.from(contents[file.path] ?? ''),
  }
}

const build = (...paths: string[]) => Object.fromEntries(paths.map(path => [path, '']))

test.each([
  ['a Procfile', { Procfile: 'web: node app.js\n' }, 'procfile', 'node app.js'],
  [
    'a Procfile with other processes',
    { Procfile: '# note\nworker: x\r\nweb:  npm start  \n' },
    'procfile',
    'npm start',
  ],
  ['a start command in package.json', { 'package.json': '{"svc":{"start":"node ."}}' }, 'package', 'node .'],
  [
    'Next.js standalone',
    build('server.js', '.next/BUILD_ID', 'package.json', 'node_modules/next/package.json'),
    'next',
    'node server.js',
  ],
  ['Nitro', build('nitro.json', 'server/index.mjs', 'public/favicon.ico'), 'nitro', 'node server/index.mjs'],
  [
    'SvelteKit adapter-node',
    build('index.js', 'handler.js', 'env.js', 'client/_app/version.json'),
    'sveltekit',
    'node index.js',
  ],
  ['Astro standalone', build('server/entry.mjs', 'client/_astro/a.css'), 'astro', 'node server/entry.mjs'],
])('%s is a server', async (_, contents, framework, command) => {
  const { app, warnings } = await detectApp(filesOf(contents as Record<string, string>))
  expect(app && { framework: app.framework, command: describeCommand(app.command) }).toEqual({
    framework,
    command,
  })
  expect(warnings).toEqual([])
})

test.each([
  ['a page', build('index.html')],
  ['a page with a package.json', { 'index.html': '', 'package.json': '{"scripts":{"start":"node ."}}' }],
  ['a package.json that is no JSON', { 'index.html': '', 'package.json': 'hello' }],
  ['a package.json that says nothing', { 'index.html': '', 'package.json': 'null' }],
  ['a server.js without the build of Next.js', build('server.js')],
  ['a file whose name only begins like the build of Next.js', build('server.js', '.nextfoo')],
  ['an index.js alone', build('index.js')],
  ['a Nitro preset without a server', build('nitro.json')],
  ['marks that lie deeper', build('app/Procfile', 'app/server/entry.mjs')],
])('%s is static', async (_, contents) => {
  const { app, warnings } = await detectApp(filesOf(contents as Record<string, string>))
  expect(app).toBeUndefined()
  const said =
    'index.html' in contents ? [] : [expect.stringContaining('the front page of the site is a 404')]
  expect(warnings).toEqual(said)
})

test('the first of several wins', async () => {
  const nitro = build('nitro.json', 'server/index.mjs')
  const start = { 'package.json': '{"svc":{"start":"node own.js"}}' }
  const first = async (contents: Record<string, string>) =>
    (await detectApp(filesOf(contents))).app?.framework
  expect(await first({ ...nitro, ...start, Procfile: 'web: x' })).toBe('procfile')
  expect(await first({ ...nitro, ...start })).toBe('package')
  expect(await first({ ...nitro, 'package.json': '{}' })).toBe('nitro')
})

test.each([
  ['no web: line', { Procfile: 'worker: node w.js' }, 'no web: line'],
  ['an empty web: line', { Procfile: 'web:' }, 'has no command'],
  ['a start that is no text', { 'package.json': '{"svc":{"start":7}}' }, 'is not a command'],
  ['an endless command', { Procfile: `web: ${'x'.repeat(5000)}` }, 'longer than 4096'],
  ['an endless Procfile', { Procfile: `web: x\n${'#'.repeat(300 * 1024)}` }, 'larger than 256 KB'],
])('detection warns about files that look like a server but are none: %s', async (_, contents, words) => {
  const { app, warnings } = await detectApp(filesOf(contents as Record<string, string>))
  expect(app).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining(words)])
})
