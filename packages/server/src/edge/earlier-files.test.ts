import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deploymentLabel } from '../core/base/labels.ts'
import type { SiteDeployment } from '../core/projects/sites.ts'
import { startTestApp, type TestApp } from './proxy/testapp.ts'
import { type FileTree, startTestbed, type Testbed } from './testbed.ts'

const hour = 3_600_000
const script = '/assets/app.3f2a9c1b.js'
const code = 'console.log("first") '.repeat(100)
const first: FileTree = {
  'index.html': 'first',
  'assets/app.3f2a9c1b.js': code,
  'assets/page.9c1b3f2a.html': '<p>page</p>',
  'logo.svg': 'logo',
}
const second: FileTree = { 'index.html': 'second', 'assets/app.77aa88bb.js': 'second' }
const openRule = '/*  /index.html  200'

let bed: Testbed

/** Puts `live` in the place of `earlier`, which was superseded just now. */
function supersede(earlier: SiteDeployment, live: SiteDeployment, before: SiteDeployment[] = []): void {
  const supersededAt = bed.time.now
  bed.sites.superseded.set(
    live.id,
    [earlier, ...before].map(deployment => ({ ...deployment, supersededAt })),
  )
}

async function deployTwice(project: string, earlier: FileTree, live: FileTree) {
  const old = await bed.deploy(project, earlier)
  const current = await bed.deploy(project, live)
  supersede(old, current)
  return { old, current }
}

describe('a site with an earlier deployment', () => {
  beforeEach(async () => {
    bed = await startTestbed()
  })
  afterEach(() => bed.stop())

  test('still has its hashed files, with the headers that they had', async () => {
    const { old, current } = await deployTwice('shop', first, second)
    for (const cache of ['MISS', 'HIT']) {
      const answer = await bed.ask('shop', script)
      expect(answer).toMatchObject({ status: 200, text: code })
      expect(answer.headers).toMatchObject({
        'x-svc-deployment': old.id,
        'x-svc-cache': cache,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
      })
    }
    const { etag = '' } = (await bed.ask('shop', script)).headers
    expect((await bed.ask('shop', script, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const range = await bed.ask('shop', script, { headers: { range: 'bytes=0-6' } })
    expect(range).toMatchObject({ status: 206, text: 'console' })
    const head = await bed.ask('shop', script, { method: 'HEAD' })
    expect([head.status, head.headers['content-length']]).toEqual([200, String(code.length)])
    const packed = await bed.ask('shop', script, { headers: { 'accept-encoding': 'br' } })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', 'x-svc-deployment': old.id })
    expect((await bed.ask('shop', '/')).headers['x-svc-deployment']).toBe(current.id)
    expect((await bed.ask('shop', '/assets/app.77aa88bb.js')).text).toBe('second')
    expect(bed.accesses.filter(({ target }) => target === script)[0]?.deploymentId).toBe(old.id)
  })

  test('never shows its HTML, and no file whose name has no hash', async () => {
    const headers = '/assets/*\n  Content-Type: text/html'
    await deployTwice('shop', first, second)
    await deployTwice('odd', { ...first, _headers: headers }, second)
    await deployTwice('forced', { ...first, _redirects: '/assets/* /index.html 200!' }, second)
    for (const path of ['/assets/page.9c1b3f2a.html', '/assets/page.9c1b3f2a', '/logo.svg', '/first'])
      expect([path, (await bed.ask('shop', path)).status]).toEqual([path, 404])
    expect((await bed.ask('odd', script)).status).toBe(404)
    expect((await bed.ask('forced', script)).status).toBe(404)
  })

  test('has them until the time is over, also from memory', async () => {
    await deployTwice('shop', first, second)
    bed.time.now += 24 * hour - 1
    expect((await bed.ask('shop', script)).status).toBe(200)
    bed.time.now += 1
    expect((await bed.ask('shop', script)).status).toBe(404)
  })

  test('has the one of the newest deployment, and of older ones what the newer ones lack', async () => {
    const oldest = await bed.deploy('shop', { [script.slice(1)]: 'oldest', 'a.aaaa1111.css': 'a' })
    const old = await bed.deploy('shop', first)
    supersede(old, await bed.deploy('shop', second), [oldest])
    expect((await bed.ask('shop', script)).text).toBe(code)
    expect((await bed.ask('shop', '/a.aaaa1111.css')).headers['x-svc-deployment']).toBe(oldest.id)
  })

  test('shows them instead of the page of a single-page app, but follows other rules', async () => {
    await deployTwice('spa', first, { ...second, _redirects: openRule })
    await deployTwice('own404', first, { ...second, '404.html': 'own' })
    await deployTwice('closed', first, { ...second, _redirects: '/* /index.html 200!' })
    await deployTwice('moved', first, { ...second, _redirects: '/assets/* /new/:splat 302' })
    await deployTwice('mapped', first, { ...second, _redirects: '/assets/* /assets/app.77aa88bb.js 200' })
    expect((await bed.ask('spa', script)).text).toBe(code)
    expect((await bed.ask('spa', '/assets/app.00000aaa.js')).text).toBe('second')
    expect((await bed.ask('own404', script)).text).toBe(code)
    expect((await bed.ask('own404', '/assets/app.00000aaa.js')).text).toBe('own')
    expect((await bed.ask('closed', script)).text).toBe('second')
    expect((await bed.ask('moved', script)).status).toBe(302)
    expect((await bed.ask('mapped', script)).text).toBe('second')
  })

  test('asks for the passwords of both deployments, and lets no cache store the answer', async () => {
    const _headers = '/assets/*\n  Basic-Auth: ann:s3cret'
    await deployTwice('before', { ...first, _headers }, second)
    await deployTwice('after', first, { ...second, _headers })
    const authorization = `Basic ${Buffer.from('ann:s3cret').toString('base64')}`
    for (const project of ['before', 'after']) {
      expect((await bed.ask(project, script)).status).toBe(401)
      const opened = await bed.ask(project, script, { headers: { authorization } })
      expect([opened.text, opened.headers['cache-control']]).toEqual([code, 'private, no-store'])
      expect((await bed.ask(project, script)).status).toBe(401)
    }
  })

  test('reads nothing for further misses', async () => {
    await deployTwice('shop', first, second)
    await bed.ask('shop', '/assets/app.00000aaa.js')
    const { reads } = bed.sites
    const opened = vi.spyOn(bed.packs, 'open')
    for (let i = 0; i < 50; i++) {
      const { status } = await bed.ask('shop', `/assets/app.${randomBytes(3).toString('hex')}a1.js`)
      expect(status).toBe(404)
    }
    expect(bed.sites.reads).toBe(reads)
    // The only opens are checks for the compressed variants of the live deployment.
    expect(opened.mock.calls.filter(([id]) => !id.includes('.'))).toEqual([])
  })

  test('reads nothing at all for a miss without a hash', async () => {
    await deployTwice('shop', first, second)
    await bed.ask('shop', '/')
    const { reads } = bed.sites
    for (const path of ['/wp-login.php', '/favicon.ico', '/a/b/c']) await bed.ask('shop', path)
    expect(bed.sites.reads).toBe(reads)
  })

  test('forgets a deployment that was deleted', async () => {
    const { old, current } = await deployTwice('shop', first, second)
    expect((await bed.ask('shop', script)).status).toBe(200)
    bed.sites.superseded.delete(current.id)
    bed.changes.tell({ topic: 'project', key: 'shop' })
    expect((await bed.ask('shop', script)).status).toBe(404)
    // The files may be gone a moment before their record, or after the list was read.
    supersede(old, current)
    bed.changes.tell({ topic: 'project', key: 'shop' })
    await bed.packs.delete(old.id)
    expect((await bed.ask('shop', '/assets/app.00000aaa.js')).status).toBe(404)
    expect(bed.errors).toEqual([])
  })

  test('answers 404 while the database fails, and finds the file afterwards', async () => {
    await deployTwice('shop', first, second)
    await bed.ask('shop', '/')
    bed.sites.gate = () => Promise.reject(new Error('no database'))
    expect((await bed.ask('shop', script)).status).toBe(404)
    expect((await bed.ask('shop', script)).status).toBe(404)
    expect(bed.errors).toHaveLength(1)
    bed.sites.gate = async () => undefined
    bed.time.now += 1_000
    expect((await bed.ask('shop', script)).status).toBe(200)
  })

  test('shows them at the URL of a branch and its domains, and not at that of one deployment', async () => {
    const { current } = await deployTwice('shop', first, second)
    bed.sites.branches.set('prj_shop next', current)
    bed.sites.domains.set('next.example.com', { project: 'shop', which: 'pinned', id: current.id })
    const branch = await bed.ask('next--shop', script)
    expect([branch.status, branch.headers['x-robots-tag']]).toEqual([200, 'noindex'])
    const domain = await bed.ask('next.example.com', script)
    expect([domain.status, domain.headers['x-robots-tag']]).toEqual([200, undefined])
    expect((await bed.ask(deploymentLabel(current.id, 'shop'), script)).status).toBe(404)
  })
})

test('a setting turns earlier hashed files off', async () => {
  bed = await startTestbed({ skewMs: 0 })
  await deployTwice('shop', first, second)
  expect((await bed.ask('shop', script)).status).toBe(404)
  await bed.stop()
})

describe('a server app with an earlier deployment', () => {
  let app: TestApp
  const chunk = '/_next/static/chunks/a.js'

  beforeEach(async () => {
    app = await startTestApp((req, res) => res.end(`app ${req.url}`))
    bed = app
  })
  afterEach(() => app.stop())

  test('still has the hashed files of its framework, and answers everything else itself', async () => {
    const kind = { framework: 'next' }
    const files = { 'server.js': 'x', 'server.3f2a9c1b.js': 'program', 'public/logo.svg': 'logo' }
    const old = await app.deployApp('shop', { ...files, '.next/static/chunks/a.js': 'chunk' }, {}, kind)
    const current = await app.deployApp('shop', { 'server.js': 'x' }, {}, kind)
    supersede(old, current)
    for (let i = 0; i < 3; i++) {
      const answer = await app.ask('shop', chunk)
      expect([answer.text, answer.headers['x-svc-deployment']]).toEqual(['chunk', old.id])
      for (const path of [
        '/server.3f2a9c1b.js',
        '/logo.svg',
        '/_next/static/chunks/b.js',
        '/.next/static/a.js',
      ])
        expect((await app.ask('shop', path)).text).toBe(`app ${path}`)
    }
    app.time.now += 24 * hour
    expect((await app.ask('shop', chunk)).text).toBe(`app ${chunk}`)
  })
})
