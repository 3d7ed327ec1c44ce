import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Platform } from '../core/platform/platform.ts'
import { urlsAt } from '../core/platform/urls.ts'
import { createDashboard } from './dashboard.ts'

let dir: string
let server: Server
let url: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-dashboard-'))
  await writeFile(join(dir, 'index.html'), 'plain')
  await writeFile(join(dir, 'index.html.br'), 'brotli')
  const platform = { urls: urlsAt({ scheme: 'http', domain: 'test', port: undefined }) } as Platform
  const answer = await createDashboard(platform, 'test', dir)
  const received = { peer: { address: '127.0.0.1', secure: false }, requestId: 'req_1' }
  server = createServer((req, res) => answer(req, res, received))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(async () => {
  await new Promise(done => server.close(done))
  await rm(dir, { recursive: true })
})

/** The length tells the two apart: fetch would decode what is encoded. */
const isEncoded = async (acceptEncoding: string): Promise<boolean> => {
  const { headers } = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': acceptEncoding } })
  expect(headers.get('content-length')).toBe(String(headers.has('content-encoding') ? 6 : 5))
  return headers.has('content-encoding')
}

test.each(['br', 'BR', 'gzip, br;q=0.5', '*'])(
  'its files are encoded for Accept-Encoding: %s',
  async header => {
    expect(await isEncoded(header)).toBe(true)
  },
)

test.each(['gzip', 'br;q=0', 'identity, br;q=0.1', 'xbr', 'x-br'])(
  'its files are sent as they are for Accept-Encoding: %s',
  async header => {
    expect(await isEncoded(header)).toBe(false)
  },
)

test('pages may frame sites of the platform, and nothing else', async () => {
  const { headers } = await fetch(url)
  const policy = headers.get('content-security-policy')?.split('; ')
  expect(policy).toContain('frame-src http://*.test')
  expect(policy).toContain("default-src 'none'")
})
