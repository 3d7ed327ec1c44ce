import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { urlsAt } from '../core/base/urls.ts'
import { noMailer } from '../ports/mailer/port.ts'
import { openSqlite } from '../store/sqlite/store.ts'
import type { Store } from '../store/store.ts'
import { createDashboard } from './dashboard.ts'

let dir: string
let store: Store
let server: Server
let url: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-dashboard-'))
  const built = join(dir, 'built')
  await mkdir(join(built, 'assets'), { recursive: true })
  await writeFile(join(built, 'index.html'), '<head></head>')
  await writeFile(join(built, 'assets', 'app.js'), 'plain')
  await writeFile(join(built, 'assets', 'app.js.br'), 'brotli')
  store = await openSqlite(join(dir, 'svc.db'))
  await store.migrate()
  const platform = {
    store,
    urls: urlsAt({ domain: 'svc.test', scheme: 'https', port: undefined }),
    version: '1.2.3',
    signups: 'closed',
    billing: 'off',
    hasAi: false,
    issuing: undefined,
    hasBuiltinForge: true,
    github: undefined,
    mailer: noMailer,
    settings: { githubUrl: 'https://github.com' },
  } as const
  const answer = await createDashboard(platform, 'svc.test', built)
  const received = { peer: { address: '127.0.0.1', secure: false }, requestId: 'req_1' }
  server = createServer((req, res) => answer(req, res, received))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise(done => server.close(done))
  await store.close()
  await rm(dir, { recursive: true })
})

test('the page of the dashboard contains its settings', async () => {
  const page = await (await fetch(`${url}/projects`)).text()
  expect(page).toContain('<script type="application/json" id="config">{"api_url":"https://api.svc.test"')
  expect(page).toContain('"setup_needed":true')
})

/** The length tells the two apart: fetch would decode what is encoded. */
const isEncoded = async (acceptEncoding: string): Promise<boolean> => {
  const { headers } = await fetch(`${url}/assets/app.js`, {
    method: 'HEAD',
    headers: { 'accept-encoding': acceptEncoding },
  })
  expect(headers.get('content-length')).toBe(String(headers.has('content-encoding') ? 6 : 5))
  return headers.has('content-encoding')
}

test.each(['br', 'BR', 'gzip, br;q=0.5', '*'])(
  'the files of the dashboard are encoded for Accept-Encoding: %s',
  async header => {
    expect(await isEncoded(header)).toBe(true)
  },
)

test.each(['gzip', 'br;q=0', 'identity, br;q=0.1', 'xbr', 'x-br'])(
  'the files of the dashboard are sent as they are for Accept-Encoding: %s',
  async header => {
    expect(await isEncoded(header)).toBe(false)
  },
)

test('pages may frame nothing', async () => {
  const { headers } = await fetch(url)
  const policy = headers.get('content-security-policy')?.split('; ')
  expect(policy?.filter(rule => rule.startsWith('frame-src'))).toEqual([])
  expect(policy).toContain("default-src 'none'")
})
