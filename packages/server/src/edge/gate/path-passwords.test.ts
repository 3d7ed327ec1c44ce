import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'
import { startTestbed, type Testbed } from '../testbed.ts'

const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(user).toString('base64')}` })
const ann = basic('ann:s3cret')
const secret = 'the secret'

describe('Basic-Auth before files', () => {
  let bed: Testbed
  beforeAll(async () => {
    bed = await startTestbed()
    await bed.deploy('shop', {
      'index.html': 'home',
      '404.html': 'missing',
      'admin/index.html': secret,
      'admin/plan.html': secret,
      'admin/open.html': 'for all',
      'admin/data.0123abcd.js': secret,
      'report.html': secret,
      _headers: [
        '/admin/*',
        '  Basic-Auth: ann:s3cret bob:pässwörd',
        '  Cache-Control: public, max-age=600',
        '/report',
        '  Basic-Auth: ann:s3cret',
        '/admin/open',
        '  ! Basic-Auth',
      ].join('\n'),
      _redirects: '/admin/old /admin/new 301\n/way/* /:splat 200\n/around /admin/plan 200',
    })
  })
  afterAll(() => bed.stop())

  const expectRefused = ({ status, headers, text }: Awaited<ReturnType<Testbed['ask']>>) => {
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="Protected", charset="UTF-8"'])
    expect(headers['cache-control']).toBe('private, no-store')
    expect(headers).not.toHaveProperty('etag')
    expect(text).not.toContain(secret)
  }

  it('shows them to whoever has the password, and nobody stores them', async () => {
    for (const headers of [
      ann,
      basic('bob:pässwörd'),
      { authorization: ann.authorization.replace('Basic', 'bAsIc ') },
    ])
      for (const path of ['/admin/', '/admin/plan', '/admin/data.0123abcd.js', '/report']) {
        const answer = await bed.ask('shop', path, { headers })
        if (path === '/report' && headers.authorization === basic('bob:pässwörd').authorization)
          expectRefused(answer)
        else
          expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([
            200,
            secret,
            'private, no-store',
          ])
        expect(answer.headers).not.toHaveProperty('basic-auth')
      }
    // They are in memory by now, for those with the password alone.
    expect((await bed.ask('shop', '/admin/plan', { headers: ann })).headers['x-svc-cache']).toBe('HIT')
    expectRefused(await bed.ask('shop', '/admin/plan'))
  })

  it.each([
    '/admin',
    '/admin/',
    '/admin/index.html',
    '/admin/index',
    '/admin/plan',
    '/admin/plan?x=1',
    '/admin/plan.html',
    '/admin/plan/',
    '/%61dmin/plan',
    '/admin%2Fplan',
    '/admin%2fplan.html',
    '/ADMIN/plan',
    '//admin/plan',
    '/admin//plan',
    '/admin/./plan',
    '/./admin/plan',
    '/x\\..\\admin/plan',
    '/admin/nowhere',
    '/admin/old',
    '/report',
    '/report/',
    '/report.html',
    '/way/admin/plan',
    '/way/report',
    '/around',
    'http://shop.example.test/admin/plan',
  ])('%s is not shown without', async path => {
    expectRefused(await bed.ask('shop', path))
    expectRefused(await bed.ask('shop', path, { method: 'HEAD' }))
    expectRefused(await bed.ask('shop', path, { headers: { range: 'bytes=0-3' } }))
    expectRefused(await bed.ask('shop', path, { headers: { 'if-none-match': '*' } }))
    expectRefused(await bed.ask('shop', path, { headers: { authorization: 'Bearer x' } }))
  })

  test('other paths are as they were', async () => {
    for (const [path, status, text] of [
      ['/', 200, 'home'],
      ['/nowhere', 404, 'missing'],
      ['/admin/open', 200, 'for all'],
      ['/administration', 404, 'missing'],
    ] as const) {
      const answer = await bed.ask('shop', path)
      expect([answer.status, answer.text, answer.headers['www-authenticate']]).toEqual([
        status,
        text,
        undefined,
      ])
    }
    expect((await bed.ask('shop', '/')).headers['cache-control']).toBe('public, max-age=0, must-revalidate')
  })

  test('redirects and missing pages behind the password are not stored either', async () => {
    for (const [path, status] of [
      ['/admin/old', 301],
      ['/admin', 308],
      ['/admin/nowhere', 404],
    ] as const) {
      const answer = await bed.ask('shop', path, { headers: ann })
      expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'private, no-store'])
    }
  })

  test('permanent addresses ask, too', async () => {
    const { id } = await bed.deploy('perm', { 'a.html': secret, _headers: '/*\n  Basic-Auth: ann:s3cret' })
    const host = `${id.replace('_', '-')}--perm`
    expectRefused(await bed.ask(host, '/a'))
    const answer = await bed.ask(host, '/a', { headers: ann })
    expect([answer.text, answer.headers['x-robots-tag']]).toEqual([secret, 'noindex'])
  })

  test('the fast lane does not know them', async () => {
    for (let i = 0; i < 3; i++) await bed.ask('shop', '/admin/plan', { headers: ann })
    const get = 'GET /admin/plan HTTP/1.1\r\nHost: shop.example.test\r\n'
    const answers = await bed.send(`${get}\r\n${get}Connection: close\r\n\r\n`)
    expect(answers).toContain('401')
    expect(answers).not.toContain(secret)
  })

  test('guessing ends after twenty tries, and begins anew after ten minutes', async () => {
    await bed.deploy('guessed', {
      'a.html': secret,
      'b.html': 'open',
      _headers: '/a\n  Basic-Auth: ann:s3cret',
    })
    const see = async (headers: Record<string, string>) =>
      (await bed.ask('guessed', '/a', { headers })).status
    for (let i = 0; i < 20; i++) expect(await see(basic(`ann:${i}`))).toBe(401)
    expect([await see(ann), await see(basic('ann:x')), await see({})]).toEqual([429, 429, 401])
    expect((await bed.ask('guessed', '/b')).status).toBe(200)
    bed.time.now += 10 * 60_000
    expect(await see(ann)).toBe(200)
  })
})

describe('Basic-Auth on a site with a gate', () => {
  it('is asked for behind the gate, each time', async () => {
    const bed = await startTestbed({}, { gate: { admits: async () => true } })
    const guard = { mode: 'password', projectId: 'prj_both', project: 'both' } as never
    await bed.deploy(
      'both',
      { 'a.html': secret, 'b.html': 'b', _headers: '/a\n  Basic-Auth: ann:s3cret' },
      { guard },
    )
    for (let i = 0; i < 2; i++) {
      expect((await bed.ask('both', '/a', { headers: ann })).text).toBe(secret)
      expect((await bed.ask('both', '/a')).status).toBe(401)
      expect((await bed.ask('both', '/b')).text).toBe('b')
    }
    await bed.stop()
  })
})

describe('Basic-Auth before an app', () => {
  let bed: TestApp
  const seen: (string | undefined)[] = []
  beforeAll(async () => {
    bed = await startTestApp(
      (req, res) => {
        seen.push(req.headers.authorization)
        res.setHeader('Cache-Control', 'public, max-age=600')
        res.end(`app ${req.method} ${req.url}`)
      },
      {},
      { isScheduled: async (_project, _signed, signature) => signature === 'right' },
    )
    await bed.deployApp('shop', { 'server.js': '', _headers: '/admin/*\n  Basic-Auth: ann:s3cret' })
  })
  afterAll(() => bed.stop())

  it('lets nothing through without the password', async () => {
    const before = seen.length
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      for (const path of [
        '/admin/x',
        '/Admin/x',
        '//admin/x',
        '/a\\..\\admin/x',
        '/a/.%2e/admin/x',
        '/admin;x=1/../admin/x',
      ])
        expect((await bed.ask('shop', path, { method })).status).toBeOneOf([400, 401])
    for (const name of ['x-original-url', 'x-rewrite-url'])
      expect((await bed.ask('shop', '/', { headers: { [name]: '/admin/x' } })).status).toBe(401)
    expect((await bed.ask('shop', '/%ff')).status).toBe(400)
    expect(seen).toHaveLength(before)
  })

  it.each([
    '/admin;x',
    '/admin;x=1/plan',
    '/admin;/plan',
    '//admin;x',
    '/admin%3bx',
    '/_next/data/build-1/admin.json',
    '/_next/data/build-1/admin/plan.json?a=b',
    '/_NEXT/../_next/data/b/admin.json',
    '/admin.data',
    '/admin.rsc',
    '/admin.txt',
    '/page-data/admin/page-data.json',
    '/_next/image?url=%2Fadmin%2Fplan.png&w=640&q=75',
    '/_next/image?w=640&url=/a.png&url=/admin/plan.png',
    '/_next/image?url=%2F%2561dmin%2Fplan.png',
    '/_next/image?url=%2Fx%2F..%2Fadmin%2Fplan.png',
    '/%5Fnext/image?url=/admin/plan.png',
    '/docs/_next/image?url=/admin/plan.png',
    '/_next/image?url=%2F_next%2Fimage%3Furl%3D%252Fadmin%252Fplan.png',
    '/_image?href=%2Fadmin%2Fplan.png&f=webp',
    '/_ipx/w_200/admin/plan.png',
    '/_ipx/_/admin/plan.png',
  ])('protects what a framework may take for the path: %s', async path => {
    const before = seen.length
    expect((await bed.ask('shop', path)).status).toBeOneOf([400, 401])
    expect(seen).toHaveLength(before)
  })

  it.each([
    '/a;admin',
    '/_next/data/build-1/home.json',
    '/administration.data',
    '/index.txt',
    '/_next/image?url=%2Fplan.png',
    '/_next/image?url=https%3A%2F%2Fcdn.example%2Fadmin%2Fplan.png',
    '/search?url=/admin/plan.png',
    '/_ipx/w_200/plan.png',
  ])('leaves other addresses open: %s', async path => expect((await bed.ask('shop', path)).status).toBe(200))

  it('closes the site if a second _headers, which is not read, mentions it', async () => {
    const files = {
      'server.js': '',
      _headers: '/a\n  X-A: b',
      'public/_headers': '/b\n  Basic-Auth: ann:s3cret',
    }
    await bed.deployApp('twice', files, {}, { framework: 'next' })
    expect((await bed.ask('twice', '/b')).status).toBe(401)
  })

  it('passes the request on without the password, and stores no answer', async () => {
    for (const method of ['GET', 'POST', 'GET']) {
      const answer = await bed.ask('shop', '/admin/x', { method, headers: ann })
      expect([answer.text, answer.headers['cache-control']]).toEqual([
        `app ${method} /admin/x`,
        'private, no-store',
      ])
      expect(answer.headers['x-svc-cache']).toBe('BYPASS')
      expect(seen.at(-1)).toBeUndefined()
    }
    await bed.ask('shop', '/api', { headers: { authorization: 'Bearer abc' } })
    expect(seen.at(-1)).toBe('Bearer abc')
  })

  it('lets the jobs of the project in', async () => {
    const headers = { 'x-svc-signature': 'right', 'x-svc-timestamp': '1' }
    expect((await bed.ask('shop', '/admin/job', { headers })).text).toBe('app GET /admin/job')
    expect(
      (await bed.ask('shop', '/admin/job', { headers: { ...headers, 'x-svc-signature': 'wrong' } })).status,
    ).toBe(401)
  })

  it('opens no other protocol without the password', async () => {
    const answer = await new Promise<string>((done, fail) => {
      const socket = connect(bed.port, '127.0.0.1', () =>
        socket.write(
          'GET /admin/ws HTTP/1.1\r\nHost: shop.example.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        ),
      )
      let text = ''
      socket.on('data', chunk => (text += chunk))
      socket.on('error', fail)
      socket.on('close', () => done(text))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })
})
