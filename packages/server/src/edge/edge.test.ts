import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deploymentLabel } from '../core/base/labels.ts'
import type { SiteDeployment } from '../core/projects/sites.ts'
import { type Answer, deployedAt, newDeploymentId, putPack, startTestbed, type Testbed } from './testbed.ts'

let bed: Testbed
let shop: SiteDeployment

const page = `<!doctype html><title>Shop</title>${'<p>Hello</p>'.repeat(50)}`
const large = Buffer.alloc(3 * 1024 * 1024, 'large file ')
const lastModified = new Date(Math.floor(deployedAt / 1000) * 1000).toUTCString()

beforeAll(async () => {
  bed = await startTestbed()
  shop = await bed.deploy('shop', {
    'index.html': page,
    'about.html': 'about',
    'docs/index.html': 'docs',
    '404.html': 'own 404',
    'app.3f2a9c1b.js': 'script',
    'logo.png': 'png',
    'empty.txt': '',
    'large.bin': large,
    _redirects: '/a /b',
    '_svc/secret': 'secret',
    '.env': 'secret',
    data: 'bytes',
  })
  await bed.deploy('bare', { 'a.txt': 'a' })
})

afterAll(() => bed.stop())

/** The headers but for those that differ from one answer to the next. */
function lasting({ headers }: Answer): object {
  const { date, 'x-svc-request-id': id, ...rest } = headers
  expect(date).toBeDefined()
  expect(id).toMatch(/^req_/)
  return rest
}

describe('a file', () => {
  test('comes with every header that belongs to it, first from its pack, then from memory', async () => {
    const first = await bed.ask('shop', '/')
    expect(first).toMatchObject({ status: 200, text: page })
    expect(first.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(page.length),
      'last-modified': lastModified,
      'cache-control': 'public, max-age=0, must-revalidate',
      'accept-ranges': 'bytes',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-svc-deployment': shop.id,
      'x-svc-cache': 'MISS',
    })
    expect(first.headers.etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(first.headers).not.toHaveProperty('x-robots-tag')

    const second = await bed.ask('shop', '/?utm=1')
    expect(second.text).toBe(page)
    expect(lasting(second)).toEqual({ ...lasting(first), 'x-svc-cache': 'HIT' })
  })

  test('of no bytes is a file, too', async () => {
    expect(await bed.ask('shop', '/empty.txt')).toMatchObject({ status: 200, text: '' })
    expect(await bed.ask('shop', '/empty.txt')).toMatchObject({ status: 200, text: '' })
  })

  test('whose name carries a hash may be kept for ever', async () => {
    const { headers } = await bed.ask('shop', '/app.3f2a9c1b.js')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test('of a static export that its framework hashed may be kept for ever, also where its name does not show it', async () => {
    await bed.deploy('export', { '_next/static/chunks/0cz1d0mv5g_q7.js': 'chunk' })
    const { headers } = await bed.ask('export', '/_next/static/chunks/0cz1d0mv5g_q7.js')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test('that no variant can exist of does not vary', async () => {
    const { headers } = await bed.ask('shop', '/logo.png')
    expect(headers).not.toHaveProperty('vary')
    expect(headers['content-type']).toBe('image/png')
  })

  test('that is large comes whole', async () => {
    const { status, headers, body } = await bed.ask('shop', '/large.bin')
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-length': String(large.length), 'x-svc-cache': 'MISS' })
    expect(body.equals(large)).toBe(true)
  })

  test.each(['/', '/large.bin', '/nowhere', '/docs'])(
    'asked for by HEAD at %s has the same headers and no body',
    async path => {
      await bed.ask('shop', path)
      const get = await bed.ask('shop', path)
      const head = await bed.ask('shop', path, { method: 'HEAD' })
      expect(head.body.length).toBe(0)
      expect(head.status).toBe(get.status)
      expect(lasting(head)).toEqual(lasting(get))
    },
  )

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('refuses %s', async method => {
    const { status, headers } = await bed.ask('shop', '/', { method })
    expect(status).toBe(405)
    expect(headers.allow).toBe('GET, HEAD')
  })
})

describe('a path', () => {
  test.each([
    ['/about', 200, 'about'],
    ['/docs/', 200, 'docs'],
    ['/data', 200, 'bytes'],
    ['/nowhere', 404, 'own 404'],
    ['/_redirects', 404, 'own 404'],
    ['/_svc/secret', 404, 'own 404'],
    ['/.env', 404, 'own 404'],
    ['/%2eenv', 404, 'own 404'],
  ])('%s answers %i', async (path, status, text) => {
    expect(await bed.ask('shop', path)).toMatchObject({ status, text })
  })

  test.each([
    ['/docs?a=b', '/docs/?a=b'],
    ['/about/', '/about'],
  ])('%s is redirected to %s', async (path, location) => {
    const { status, headers } = await bed.ask('shop', path)
    expect(status).toBe(308)
    expect(headers.location).toBe(location)
  })

  test.each(['/%zz', '/%00', '/a/../b', '/%2e%2e/x'])('%s is refused', async path => {
    const { status, headers } = await bed.ask('shop', path)
    expect(status).toBe(400)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    // Nothing can be pressed on it, and in a frame it says what is wrong.
    expect(headers['content-security-policy']).toContain('frame-ancestors *')
  })

  test('that is missing gets the platform’s page where the site has none, in the form that is accepted', async () => {
    const ask = (accept?: string) =>
      bed.ask('bare', '/nowhere', { headers: accept === undefined ? {} : { accept } })
    for (const accept of [undefined, '*/*', 'text/html,application/xhtml+xml']) {
      const { status, headers, text } = await ask(accept)
      expect(status).toBe(404)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(text).toContain('Page not found')
    }
    expect(JSON.parse((await ask('application/json')).text).error.code).toBe('not_found')
    expect((await ask('image/*')).headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test('that is missing never yields a 304 or a part', async () => {
    const headers = { 'if-none-match': '*', range: 'bytes=0-1', 'if-modified-since': lastModified }
    const answer = await bed.ask('shop', '/nowhere', { headers })
    expect(answer).toMatchObject({ status: 404, text: 'own 404' })
    expect(answer.headers).not.toHaveProperty('etag')
  })
})

describe('conditional requests', () => {
  test.each(['/', '/large.bin'])('for %s yield 304 to whoever has it', async path => {
    const { headers } = await bed.ask('shop', path)
    const again = await bed.ask('shop', path, { headers: { 'if-none-match': headers.etag! } })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers.etag).toBe(headers.etag)
    expect(again.headers['cache-control']).toBe(headers['cache-control'])
    const since = await bed.ask('shop', path, { headers: { 'if-modified-since': lastModified } })
    expect(since.status).toBe(304)
    expect((await bed.ask('shop', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    expect((await bed.ask('shop', path, { headers: { 'if-match': '"other"' } })).status).toBe(412)
  })

  test.each([
    ['/', Buffer.from(page)],
    ['/large.bin', large],
  ])('for a range of %s yield that part', async (path, content) => {
    const size = content.length
    const middle = await bed.ask('shop', path, { headers: { range: 'bytes=5-14' } })
    expect(middle.status).toBe(206)
    expect(middle.headers).toMatchObject({ 'content-range': `bytes 5-14/${size}`, 'content-length': '10' })
    expect(middle.body.equals(content.subarray(5, 15))).toBe(true)
    const end = await bed.ask('shop', path, { headers: { range: 'bytes=-7' } })
    expect(end.body.equals(content.subarray(-7))).toBe(true)
    const beyond = await bed.ask('shop', path, { headers: { range: `bytes=${size}-` } })
    expect(beyond.status).toBe(416)
    expect(beyond.headers['content-range']).toBe(`bytes */${size}`)
    const several = await bed.ask('shop', path, { headers: { range: 'bytes=0-1,4-5' } })
    expect(several.status).toBe(200)
    const head = await bed.ask('shop', path, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect(head.status).toBe(200)
    const etag = middle.headers.etag!
    const same = await bed.ask('shop', path, { headers: { range: 'bytes=0-1', 'if-range': etag } })
    expect(same.status).toBe(206)
    const other = await bed.ask('shop', path, { headers: { range: 'bytes=0-1', 'if-range': '"other"' } })
    expect(other.status).toBe(200)
  })
})

describe('hosts', () => {
  test('of deployments and branches serve those, and are kept out of search engines', async () => {
    const first = await bed.deploy('versions', { 'index.html': 'one' })
    const second = await bed.deploy('versions', { 'index.html': 'two' })
    bed.sites.branches.set('prj_versions main', first)
    const answers = [
      ['versions', 'two', undefined],
      [deploymentLabel(first.id, 'versions'), 'one', 'noindex'],
      [deploymentLabel(second.id, 'versions'), 'two', 'noindex'],
      ['main--versions', 'one', 'noindex'],
    ] as const
    for (const [label, text, robots] of [...answers, ...answers]) {
      const answer = await bed.ask(label, '/')
      expect(answer).toMatchObject({ status: 200, text })
      expect(answer.headers['x-robots-tag']).toBe(robots)
    }
  })

  test.each([
    'nobody',
    'www',
    'main--shop',
    `${deploymentLabel('dep_zzzzzzzzzzzzzzzz', 'shop')}`,
    'other.org',
    'a.b.example.test',
  ])('like %s get the platform’s 404', async host => {
    for (let i = 0; i < 2; i++) {
      const { status, text } = await bed.ask(host, '/')
      expect(status).toBe(404)
      expect(text).toContain('No site here')
    }
  })

  test('of projects without a deployment say so', async () => {
    bed.sites.sites.set('fresh', {
      projectId: 'prj_fresh',
      name: 'fresh',
      active: undefined,
      expiresAt: undefined,
      guard: undefined,
      previewGuard: undefined,
    })
    const { status, text } = await bed.ask('fresh', '/')
    expect(status).toBe(404)
    expect(text).toContain('no deployment yet')
  })

  test('of shares end when their time is over, to the millisecond', async () => {
    const expiresAt = bed.time.now + 1000
    await bed.deploy('tmp-0123456789', { 'index.html': 'shared' }, { expiresAt })
    const live = await bed.ask('tmp-0123456789', '/')
    expect(live).toMatchObject({ status: 200, headers: { 'x-robots-tag': 'noindex' } })
    bed.time.now = expiresAt - 1
    expect((await bed.ask('tmp-0123456789', '/')).status).toBe(200)
    bed.time.now = expiresAt
    expect((await bed.ask('tmp-0123456789', '/')).status).toBe(404)
  })

  test('of server apps never show the program', async () => {
    const id = newDeploymentId()
    await putPack(bed.packs, id, { 'server.js': 'secret' })
    const active: SiteDeployment = { id, kind: 'server', createdAt: deployedAt, framework: null }
    bed.sites.sites.set('server', {
      projectId: 'prj_server',
      name: 'server',
      active,
      expiresAt: undefined,
      guard: undefined,
      previewGuard: undefined,
    })
    const { status, text } = await bed.ask('server', '/server.js')
    expect(status).toBe(503)
    expect(text).not.toContain('secret')
  })
})

describe('odd requests', () => {
  test.each([
    ['two Host headers', 'GET / HTTP/1.1\r\nHost: shop.example.test\r\nHost: bare.example.test\r\n', 404],
    ['no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n', 404],
    ['an absolute target', 'GET http://shop.example.test/about HTTP/1.1\r\nHost: bare.example.test\r\n', 200],
    ['a target that is no path', 'GET * HTTP/1.1\r\nHost: shop.example.test\r\n', 400],
    ['raw bytes that are not UTF-8', 'GET /\xff HTTP/1.1\r\nHost: shop.example.test\r\n', 400],
    ['a body with GET', 'GET / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 2\r\n', 200],
    ['a leading double slash', 'GET //evil.com/ HTTP/1.1\r\nHost: shop.example.test\r\n', 404],
  ])('with %s are answered', async (_, head, status) => {
    expect(await bed.send(`${head}Connection: close\r\n\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('in a row on one connection are answered in order', async () => {
    const get = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: shop.example.test\r\n${path === '/last' ? 'Connection: close\r\n' : ''}\r\n`
    const answer = await bed.send(
      get('/about') + get('/nowhere') + get('/data') + get('/about') + get('/last'),
    )
    expect(answer.match(/about|own 404|bytes$|bytes(?=HTTP)/g)).toEqual([
      'about',
      'own 404',
      'bytes',
      'about',
      'own 404',
    ])
  })

  test('of any target and host never break the server nor show what is not for visitors', async () => {
    const character = fc.integer({ min: 0x21, max: 0xff }).map(code => String.fromCharCode(code))
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '..',
        '.',
        '%2e',
        '%2f',
        '%5c',
        '\\',
        '%00',
        '%',
        '?',
        '#',
        '_svc',
        '.env',
        '_redirects',
        '//',
        'about',
      ),
      fc.string({ unit: character, maxLength: 5 }),
    )
    const target = fc.array(piece, { maxLength: 8 }).map(pieces => `/${pieces.join('')}`)
    const host = fc.oneof(
      { weight: 4, arbitrary: fc.constant('shop.example.test') },
      { weight: 1, arbitrary: fc.string({ unit: character, maxLength: 20 }) },
    )
    await fc.assert(
      fc.asyncProperty(target, host, async (path, name) => {
        const answer = await bed.send(`GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
        // 301 is for `/a`, which the site's own rules redirect.
        expect(answer).toMatch(/^HTTP\/1\.1 (?:200|301|308|400|404) /)
        expect(answer).not.toContain('secret')
        expect(answer).not.toMatch(/\r\nLocation: (?:\/[/\\]|[^/])/)
      }),
      { numRuns: 500 },
    )
    expect(bed.errors).toEqual([])
  })
})

describe('a client that leaves during a large answer', () => {
  test('takes nothing of the server with it', async () => {
    const own = await startTestbed({ openPacks: 1 })
    await own.deploy('shop', { 'large.bin': Buffer.alloc(20 * 1024 * 1024) })
    await own.deploy('other', { 'index.html': 'other' })
    const leave = () =>
      new Promise<void>(done => {
        const socket = connect(own.port, '127.0.0.1', () =>
          socket.write('GET /large.bin HTTP/1.1\r\nHost: shop.example.test\r\n\r\n'),
        )
        socket.once('data', () => socket.destroy())
        socket.on('close', () => done())
      })
    await Promise.all(Array.from({ length: 20 }, leave))
    // Opening another pack evicts the first, which is closed once nobody reads it.
    await own.ask('other', '/')
    await expect.poll(own.openFiles).toBe(1)
    expect(own.errors).toEqual([])
    await own.stop()
  })
})
