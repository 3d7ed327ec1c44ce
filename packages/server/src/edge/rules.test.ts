import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { TestServer } from '../testing/server.ts'

let server: TestServer
let token: string
let counter = 0

beforeAll(async () => {
  server = await TestServer.start()
  token = (await server.account()).token
})
afterAll(() => server.remove())

async function deploy(files: Record<string, string | Buffer>) {
  const name = `rules-${++counter}`
  await server.request('/projects', { method: 'POST', token, body: { name } })
  const { json } = await server.upload(token, name, archiveOf(files))
  return { name, id: json.deployment_id as string, warnings: json.warnings as string[] }
}

/** Twice, since the second answer may come from memory. */
async function ask(name: string, target: string) {
  const [first, second] = [await server.site(name, target), await server.site(name, target)]
  const parts = ({ status, text, headers }: typeof first) => [
    status,
    text.replace(/Request req_\w+/, 'Request'),
    headers.location,
  ]
  expect(parts(second)).toEqual(parts(first))
  return second
}

describe('_redirects', () => {
  it('redirects every method, while files are for GET and HEAD alone', async () => {
    const { name } = await deploy({
      'index.html': 'home',
      'file.html': 'file',
      'folder/index.html': 'folder',
      _redirects: [
        '/api/* https://api.example.com/:splat 308',
        '/old /new',
        '/file /elsewhere',
        '/shown /file 200',
        '/_svc/* /elsewhere',
      ].join('\n'),
    })
    const post = (target: string) => server.site(name, target, { method: 'POST', body: 'x' })
    const api = await post('/api/users?a=1')
    expect([api.status, api.headers.location]).toEqual([308, 'https://api.example.com/users?a=1'])
    expect((await post('/old')).headers.location).toBe('/new')
    for (const target of ['/', '/file', '/folder', '/shown', '/nowhere', '/%zz', '/_svc/x'])
      expect([target, (await post(target)).status]).toEqual([target, 405])
    expect((await ask(name, '/api/users')).status).toBe(308)
  })

  it('sends visitors elsewhere, rewrites, and lets files win unless a rule insists', async () => {
    const { name, warnings } = await deploy({
      'index.html': 'home',
      'app.html': 'app',
      'kept.html': 'kept',
      'forced.html': 'never seen',
      'gone.html': 'gone',
      _redirects: [
        '/old /new',
        '/kept /elsewhere',
        '/forced /elsewhere 302!',
        '/gone/* /gone.html 404',
        '/out https://example.com/:splat 307',
        '/secret /.env 200',
        '/rules /_redirects 200',
        '/app/* /app 200',
      ].join('\n'),
    })
    expect(warnings).toEqual([])
    const old = await ask(name, '/old?a=1')
    expect([old.status, old.headers.location]).toEqual([301, '/new?a=1'])
    expect((await ask(name, '/kept')).text).toBe('kept')
    expect((await ask(name, '/forced')).headers.location).toBe('/elsewhere')
    const gone = await ask(name, '/gone/x')
    expect([gone.status, gone.text]).toEqual([404, 'gone'])
    expect((await ask(name, '/out')).headers.location).toBe('https://example.com/:splat')
    const app = await ask(name, '/app/deep/path')
    expect([app.status, app.text]).toEqual([200, 'app'])
    for (const hidden of ['/secret', '/rules']) expect((await ask(name, hidden)).status).toBe(404)
    expect((await ask(name, '/_redirects')).status).toBe(404)
  })

  it('never apply below /_svc/, not even a rule for all paths', async () => {
    const rules = ['/* /index.html 200', '/* /index.html 200!', '/* https://example.com/:splat 302!']
    for (const rule of rules) {
      const { name } = await deploy({ 'index.html': 'home', '404.html': 'own 404', _redirects: rule })
      for (const target of ['/_svc/x', '/_svc/', '/%5Fsvc/x', '/_svc/forms/contact']) {
        const { status, text, headers } = await ask(name, target)
        expect([rule, target, status, text, headers.location]).toEqual([
          rule,
          target,
          404,
          'own 404',
          undefined,
        ])
      }
    }
  })

  it('looks at the query where a rule says so, also when the page is in memory', async () => {
    const { name } = await deploy({ 'store.html': 'store', _redirects: '/store id=:id /item/:id 302!' })
    expect((await ask(name, '/store')).text).toBe('store')
    expect((await ask(name, '/store?id=7')).headers.location).toBe('/item/7?id=7')
    expect((await ask(name, '/store')).text).toBe('store')
  })

  it('shows by the query what a rule says, and nothing of it without', async () => {
    const { name } = await deploy({
      'one.html': 'one',
      'two.html': 'two',
      _redirects: '/store id=1 /one 200\n/store id=2 /two 200',
    })
    for (const [target, text] of [
      ['/store?id=1', 'one'],
      ['/store?id=2', 'two'],
    ] as const)
      expect((await ask(name, target)).text).toBe(text)
    expect((await ask(name, '/store')).status).toBe(404)
  })

  it('warns about lines that cannot be honoured, in the answer and on the record', async () => {
    const { name, id, warnings } = await deploy({
      'index.html': 'x',
      _redirects: '/a /b 999\n/c https://example.com 200',
      _headers: '/*\n  Content-Length: 3',
    })
    expect(warnings).toEqual([
      expect.stringContaining('_redirects line 1'),
      expect.stringContaining('_redirects line 2'),
      expect.stringContaining('_headers line 2'),
    ])
    const detail = (await server.request(`/projects/${name}`, { token })).json
    expect(detail.deployments[0]).toMatchObject({ id, warnings })
  })
})

describe('_headers', () => {
  it('sets, joins, replaces and removes headers by path', async () => {
    const { name } = await deploy({
      'index.html': 'home',
      'a.html': 'a',
      '404.html': 'missing',
      _headers: [
        '/*',
        '  X-Frame-Options: DENY',
        '  X-Robots-Tag: all',
        '  Cache-Control: no-store',
        '/a',
        '  X-Frame-Options: SAMEORIGIN',
        '  Content-Type: text/plain',
        '  ! Cache-Control',
      ].join('\n'),
    })
    const home = await ask(name, '/')
    expect([home.headers['x-frame-options'], home.headers['cache-control']]).toEqual(['DENY', 'no-store'])
    const a = await ask(name, '/a')
    expect(a.headers).toMatchObject({ 'x-frame-options': 'DENY, SAMEORIGIN', 'content-type': 'text/plain' })
    expect(a.headers['cache-control']).toBeUndefined()
    const missing = await ask(name, '/nowhere')
    expect([missing.status, missing.headers['x-frame-options']]).toEqual([404, 'DENY'])
    expect(missing.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    expect((await ask(name, '/a')).headers['x-frame-options']).toBe('DENY, SAMEORIGIN')
  })

  it('lets no preview into search engines', async () => {
    const { name, id } = await deploy({ 'index.html': 'x', _headers: '/*\n  X-Robots-Tag: all\n' })
    expect((await ask(name, '/')).headers['x-robots-tag']).toBe('all')
    expect((await ask(`${id.replace('_', '-')}--${name}`, '/')).headers['x-robots-tag']).toBe('noindex')
  })
})

it('shows files with names of any language behind rules', async () => {
  const { name, warnings } = await deploy({
    'index.html': 'home',
    '日本.html': 'Japan',
    '100%.html': 'all',
    _redirects: '/to /日本 302\n/show /日本 200\n/any/* /:splat 200',
  })
  expect(warnings).toEqual([])
  expect((await ask(name, '/to')).headers.location).toBe('/%E6%97%A5%E6%9C%AC')
  expect((await ask(name, '/show')).text).toBe('Japan')
  expect((await ask(name, '/any/%E6%97%A5%E6%9C%AC')).text).toBe('Japan')
  expect((await ask(name, '/any/100%25')).text).toBe('all')
})

it('warns of a rule with two splats', async () => {
  const files = { 'index.html': 'home', _redirects: '/a/:splat/* /b', _headers: '/a/:splat/*\n  X-A: b' }
  const { warnings } = await deploy(files)
  const problem = ':splat stands for * and cannot be used beside it'
  expect(warnings).toEqual([
    `_redirects line 1: ${problem}. The rule is ignored.`,
    `_headers line 1: ${problem}. The path and its headers are ignored.`,
  ])
})

it('the edge reads the first megabyte of a file of rules, and says so', async () => {
  const filler = `# ${'x'.repeat(998)}\n`.repeat(1060)
  const { name, warnings } = await deploy({
    'index.html': 'home',
    _redirects: `/a /b\n${filler}/c /d\n`,
    _headers: `/*\n  X-A: b\n${filler}  X-C: d\n`,
  })
  expect(warnings).toEqual([
    '_redirects is larger than 1 MB. Only the lines within its first megabyte are read.',
    '_headers is larger than 1 MB. Only the lines within its first megabyte are read.',
  ])
  expect((await ask(name, '/a')).headers.location).toBe('/b')
  expect((await ask(name, '/c')).status).toBe(404)
  expect((await ask(name, '/')).headers).toMatchObject({ 'x-a': 'b' })
})

it('closes a site if the part of _headers that is not read mentions Basic-Auth', async () => {
  const line = `# ${'x'.repeat(998)}\n`
  // The second ends the first megabyte in the middle of the name.
  for (const filler of [line.repeat(3_000), `${line.repeat(1047)}#${'x'.repeat(515)}\n/a\n  `]) {
    const _headers = `/*\n  X-A: b\n${filler}/late\n  bASIC-aUTH: ann:s3cret\n${line.repeat(100)}`
    const { name, warnings } = await deploy({ 'index.html': 'home', _headers })
    expect(warnings.join('\n')).toContain('Nobody can open the site until you shorten or merge them.')
    expect((await ask(name, '/')).status).toBe(401)
  }
})

it('the edge reads a file of rules in UTF-16', async () => {
  const _headers = Buffer.from('\ufeff/a\r\n  Basic-Auth: ann:s3cret\r\n', 'utf16le')
  const { name } = await deploy({ 'index.html': 'home', 'a.html': 'a', _headers })
  expect([(await ask(name, '/')).status, (await ask(name, '/a')).status]).toEqual([200, 401])
})

it('tells the hosts of a site apart', async () => {
  const { name, id } = await deploy({
    'index.html': 'home',
    'new.html': 'new',
    _redirects: `https://rules-${counter + 1}.localhost/* /new 302!\n/shown /new 200`,
    _headers: `https://rules-${counter + 1}.localhost/*\n  X-Production: yes`,
  })
  const preview = `${id.replace('_', '-')}--${name}`
  for (let i = 0; i < 2; i++) {
    expect((await ask(name, '/')).headers.location).toBe('/new')
    expect((await ask(name, '/new')).headers['x-production']).toBe('yes')
    expect((await ask(preview, '/')).text).toBe('home')
    expect((await ask(preview, '/new')).headers).not.toHaveProperty('x-production')
  }
})

it('the edge keeps an escaped slash escaped, and no spelling of a path gets around a rule', async () => {
  const { name } = await deploy({
    'secret/plan.html': 'plan',
    _redirects: '/files/* /archive/:splat\n/secret/* /login 302!',
  })
  expect((await ask(name, '/files/a%2Fb%20c/@d')).headers.location).toBe('/archive/a%2Fb%20c/@d')
  for (const path of ['/secret/plan', '/secret%2Fplan', '/%73ecret%2fplan'])
    expect((await ask(name, path)).headers.location).toBe('/login')
})

it('puts no character into a header that it cannot carry', async () => {
  const { name } = await deploy({
    'index.html': 'home',
    '日本.html': 'Japan',
    _headers: '/:page\n  X-Page: :page',
  })
  const { status, headers } = await ask(name, '/%E6%97%A5%E6%9C%AC')
  expect([status, headers['x-page']]).toEqual([200, '%E6%97%A5%E6%9C%AC'])
})
