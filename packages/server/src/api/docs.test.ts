import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { urlsAt } from '../core/base/urls.ts'
import { createDocs } from './docs.ts'

let dir: string
let server: Server
let url: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-docs-'))
  await mkdir(join(dir, 'assets'))
  await mkdir(join(dir, 'api'))
  await writeFile(join(dir, 'index.html'), 'home of svc @version@')
  await writeFile(
    join(dir, 'ci.html'),
    'SVC_API_URL: https://api.&lt;domain&gt; my-site.&#60;domain&#62; @dashboard@',
  )
  await writeFile(join(dir, 'api/projects.html'), '@api@')
  await writeFile(join(dir, '404.html'), 'not here')
  await writeFile(join(dir, 'assets/site.js'), '"@version@"')
  await writeFile(join(dir, 'assets/picture.webp'), 'RIFF')
  server = await serve(dir)
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise(done => server.close(done))
  await rm(dir, { recursive: true })
})

async function serve(from: string): Promise<Server> {
  const urls = urlsAt({ domain: 'svc.test', scheme: 'https', port: undefined })
  const answer = await createDocs({ urls, version: '1.2.3' }, 'svc.test', from)
  const received = { peer: { address: '127.0.0.1', secure: false }, requestId: 'req_1' }
  const made = createServer((req, res) => answer(req, res, received))
  await new Promise<void>(done => made.listen(0, '127.0.0.1', done))
  return made
}

test.each([
  ['/', 'home of svc 1.2.3'],
  ['/?q=1', 'home of svc 1.2.3'],
  ['/ci', 'SVC_API_URL: https://api.svc.test my-site.svc.test https://app.svc.test'],
  ['/api/projects', 'https://api.svc.test'],
])('the page %s has the version and the addresses of this platform', async (path, text) => {
  const answer = await fetch(url + path)
  expect([answer.status, await answer.text()]).toEqual([200, text])
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
})

test.each([
  '/nothing',
  '/api/nothing',
  '/ci.html',
  '/index',
  '/../package.json',
  '/%2e%2e/x',
  '/assets/',
  '//',
  '/api/',
])('the unknown path %s gets 404 and the page for it', async path => {
  const answer = await fetch(`${url}${path === '/index' ? '/index/x' : path}`)
  expect([answer.status, await answer.text()]).toEqual([404, 'not here'])
})

test('a page with a slash at its end is redirected to the page', async () => {
  const answer = await fetch(`${url}/ci/`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, '/ci'])
})

test('a page is revalidated, and a file whose name holds its hash is kept', async () => {
  const page = await fetch(`${url}/ci`)
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const etag = page.headers.get('etag') ?? ''
  expect((await fetch(`${url}/ci`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const script = await fetch(`${url}/assets/site.js`)
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect(await script.text()).toBe('"@version@"')
})

test('a client that accepts Brotli gets it, and others get plain text', async () => {
  const encodingFor = async (accepted: string) =>
    (await fetch(`${url}/ci`, { method: 'HEAD', headers: { 'accept-encoding': accepted } })).headers.get(
      'content-encoding',
    )
  expect(await encodingFor('gzip, br')).toBe('br')
  expect(await encodingFor('gzip')).toBe(null)
})

test('a picture is sent as it is', async () => {
  const answer = await fetch(`${url}/assets/picture.webp`, { headers: { 'accept-encoding': 'br' } })
  expect([answer.headers.get('content-type'), answer.headers.get('content-encoding')]).toEqual([
    'image/webp',
    null,
  ])
  expect(await answer.text()).toBe('RIFF')
})

test('only GET and HEAD are answered', async () => {
  const answer = await fetch(`${url}/ci`, { method: 'POST', body: 'x' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('where the site was not built, every path gets 404', async () => {
  const without = await serve(join(dir, 'nowhere'))
  const answer = await fetch(`http://127.0.0.1:${(without.address() as AddressInfo).port}/`)
  expect(answer.status).toBe(404)
  await new Promise(done => without.close(done))
})
