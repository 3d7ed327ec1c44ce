import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectPlain } from 'node:net'
import path from 'node:path'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveOf } from '../../testing/archives.ts'
import { Authority, type MadeCertificate } from '../../testing/authority.ts'
import { eventually } from '../../testing/eventually.ts'
import { protocols, secureSocket } from '../../testing/https.ts'
import { TestServer } from '../../testing/server.ts'
import { deploySite, setPassword } from '../../testing/sites.ts'

const domain = 'platform.test'
const big = 'x'.repeat(700_000)
const files = {
  'index.html': '<h1>hello</h1>',
  'big.txt': big,
  'docs/index.html': 'docs',
  _headers:
    '/twice\n  Link: </a>; rel=preload\n  Link: </b>; rel=preload\n/strict\n  Strict-Transport-Security: max-age=5\n/locked\n  Basic-Auth: ann:s3cret\n',
  strict: 'strict',
  twice: 'twice',
  locked: 'locked',
}

let authority: Authority
let wildcard: MadeCertificate
let server: TestServer
let token: string
let site: string
let port: number
const certFile = () => path.join(authority.dir, 'current.pem')
const keyFile = () => path.join(authority.dir, 'current.key')

beforeAll(async () => {
  authority = await Authority.make()
  wildcard = await authority.certificate(domain, `*.${domain}`)
  await copyFile(wildcard.certFile, certFile())
  await copyFile(wildcard.keyFile, keyFile())
  server = await TestServer.start('sqlite', environment())
  port = server.running.tlsPort!
  token = (await server.account()).token
  site = await deploySite(server, token, files)
})
afterAll(async () => {
  await server?.remove()
  await authority?.remove()
})

const environment = () => ({
  SVCD_PLATFORM_DOMAIN: domain,
  SVCD_TLS_PORT: '0',
  SVCD_TLS_CERT: certFile(),
  SVCD_TLS_KEY: keyFile(),
  SVCD_TRUST_PROXY: '127.0.0.9',
})

describe.each(['h2', 'http/1.1'] as const)('the platform, by %s,', protocol => {
  const ask = (
    host: string,
    rest: Omit<Parameters<(typeof protocols)['h2']>[0], 'port' | 'ca' | 'host'> = {},
  ) => protocols[protocol]({ port, ca: authority.ca, host, ...rest })
  const visit = (path = '/', rest = {}) => ask(`${site}.${domain}`, { path, ...rest })

  it('serves sites, from memory and from disk, and sends HSTS', async () => {
    for (const _ of [1, 2, 3]) {
      const { status, text, headers } = await visit()
      expect([status, text]).toEqual([200, '<h1>hello</h1>'])
      expect(headers['strict-transport-security']).toBe('max-age=31536000')
    }
    expect((await visit('/big.txt')).text).toBe(big)
    expect((await visit('/big.txt')).text).toBe(big)
  })

  it('asks for the password of a path', async () => {
    const authorization = `Basic ${Buffer.from('ann:s3cret').toString('base64')}`
    for (let i = 0; i < 2; i++) {
      const refused = await visit('/locked')
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('Basic '),
      ])
      const shown = await visit('/locked', { headers: { authorization } })
      expect([shown.status, shown.text, shown.headers['cache-control']]).toEqual([
        200,
        'locked',
        'private, no-store',
      ])
    }
  })

  it('answers HEAD, ranges, conditions, redirects and missing pages', async () => {
    const head = await visit('/big.txt', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(big.length)])
    const part = await visit('/big.txt', { headers: { range: 'bytes=5-9' } })
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      206,
      'xxxxx',
      `bytes 5-9/${big.length}`,
    ])
    const fresh = await visit('/', { headers: { 'if-none-match': String((await visit()).headers.etag) } })
    expect([fresh.status, fresh.text]).toEqual([304, ''])
    const moved = await visit('/docs?a=b')
    expect([moved.status, moved.headers.location]).toEqual([308, '/docs/?a=b'])
    expect((await visit('/nowhere')).status).toBe(404)
    expect((await visit('/', { method: 'POST', body: 'x' })).status).toBe(405)
    expect((await ask(`nobody.${domain}`)).status).toBe(404)
  })

  it('keeps headers that come twice', async () => {
    const { headers } = await visit('/twice')
    expect(headers.link).toBe('</a>; rel=preload, </b>; rel=preload')
  })

  it("does not change a site's own Strict-Transport-Security", async () => {
    for (const _ of [1, 2, 3])
      expect((await visit('/strict')).headers['strict-transport-security']).toBe('max-age=5')
  })

  it('serves the API, uploads included, the dashboard and the reference', async () => {
    const me = await ask(`api.${domain}`, { path: '/me', headers: { authorization: `Bearer ${token}` } })
    expect([me.status, JSON.parse(me.text).token_kind]).toEqual([200, 'cli'])
    expect((await ask(`app.${domain}`)).text).toContain('<!doctype html>')
    expect((await ask(`docs.${domain}`)).text).toContain('svc API')
    const upload = await ask(`api.${domain}`, {
      path: `/projects/${site}/deployments?branch=${protocol.replace('/', '-')}`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
      body: archiveOf({ ...files, 'noise.bin': 'n'.repeat(5_000_000) }),
    })
    expect(upload.status).toBe(201)
  })

  it('refuses what is wrong with a body, and says so', async () => {
    const post = (body: Buffer | string, type = 'application/json') =>
      ask(`api.${domain}`, {
        path: '/projects',
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
      })
    expect((await post('{')).status).toBe(400)
    expect((await post(Buffer.alloc(1024 * 1024 + 1, ' '))).status).toBe(413)
    const upload = await ask(`api.${domain}`, {
      path: `/projects/${site}/deployments`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
      body: 'not an archive',
    })
    expect(upload.status).toBe(415)
  })

  it('lets visitors into protected sites', async () => {
    const name = await deploySite(server, token, files)
    await setPassword(server, token, name, 'open sesame')
    const host = `${name}.${domain}`
    expect((await ask(host)).status).toBe(401)
    const form = { method: 'POST', path: '/_svc/unlock' }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const wrong = await ask(host, { ...form, headers, body: 'password=wrong' })
    expect(wrong.status).toBe(401)
    const tooBig = await ask(host, { ...form, headers, body: `password=${'a'.repeat(8000)}` })
    expect(tooBig.status).toBe(413)
    const right = await ask(host, { ...form, headers, body: 'password=open+sesame' })
    expect(right.status).toBe(303)
    const cookie = [right.headers['set-cookie']].flat()[0]!.split(';')[0]!
    expect(cookie).toMatch(/^__Host-/)
    expect((await ask(host, { headers: { cookie } })).status).toBe(200)
  })

  it('takes forms', async () => {
    const form = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const sent = await visit('/_svc/forms/contact', { ...form, body: '{"by":"https"}' })
    expect([sent.status, sent.text, sent.headers['x-ratelimit-limit']]).toEqual([200, '{"ok":true}\n', '30'])
    const huge = JSON.stringify({ text: 'x'.repeat(300_000) })
    expect((await visit('/_svc/forms/contact', { ...form, body: huge })).status).toBe(413)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const sentOn = await visit('/_svc/forms/contact', { ...form, headers, body: '_redirect=/docs/' })
    expect([sentOn.status, sentOn.headers.location]).toEqual([303, '/docs/'])
  })
})

it('runs scheduled jobs at the site itself, not at the way from HTTP to HTTPS', async () => {
  const call = server.client(token)
  const params = { name: site }
  const body = { schedule: '0 0 1 1 *', path: '/docs/' }
  const { id } = await call('POST /projects/:name/crons', { params, body })
  const run = await call('POST /projects/:name/crons/:id/run', { params: { ...params, id } })
  expect(run).toMatchObject({ status: 200, error: null })
})

describe('the HTTPS listener', () => {
  it('agrees with curl on HTTP/2, and on HTTP/1.1 where that is wanted', async () => {
    const run = promisify(execFile)
    const url = `https://${site}.${domain}:${port}/`
    const args = ['-sS', '--cacert', path.join(authority.dir, 'ca.pem'), '--resolve']
    const at = `${site}.${domain}:${port}:127.0.0.1`
    const show = ['-o', '/dev/null', '-w', '%{http_version} %{http_code}']
    expect((await run('curl', [...args, at, ...show, url])).stdout).toBe('2 200')
    expect((await run('curl', [...args, at, ...show, '--http1.1', url])).stdout).toBe('1.1 200')
  })

  it('speaks TLS 1.2 and 1.3, and nothing older or weaker', async () => {
    const servername = `${site}.${domain}`
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await secureSocket({
        port,
        ca: authority.ca,
        servername,
        minVersion: version,
        maxVersion: version,
      })
      expect(socket.getProtocol()).toBe(version)
      socket.destroy()
    }
    const old = { port, ca: authority.ca, servername }
    await expect(
      secureSocket({ ...old, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    ).rejects.toThrow()
    await expect(
      secureSocket({ ...old, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }),
    ).rejects.toThrow()
  })

  it('shows the platform certificate to whoever names no host or an unknown one', async () => {
    const options = { port, rejectUnauthorized: false }
    for (const servername of [undefined, 'elsewhere.example']) {
      const socket = await secureSocket({ ...options, ...(servername ? { servername } : {}) })
      expect(socket.getPeerCertificate().subject.CN).toBe(domain)
      socket.destroy()
    }
  })

  it('answers nobody under two names', async () => {
    const session = connectHttp2(`https://${site}.${domain}`, {
      createConnection: () =>
        connect({
          host: '127.0.0.1',
          port,
          ca: authority.ca,
          servername: `${site}.${domain}`,
          ALPNProtocols: ['h2'],
        }),
    })
    const stream = session.request({ ':path': '/', host: `api.${domain}` })
    const [headers] = await once(stream, 'response')
    expect(headers[':status']).toBe(404)
    session.destroy()
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('resumes sessions of %s, also after a restart', async version => {
    const servername = `${site}.${domain}`
    const options = { port, ca: authority.ca, servername, minVersion: version, maxVersion: version }
    const first = await withSession(options)
    expect(first.reused).toBe(false)
    expect((await withSession({ ...options, session: first.session })).reused).toBe(true)
    const other = await TestServer.start('sqlite', {
      ...environment(),
      SVCD_SECRET_KEY: server.running.platform.keyring.current.base64.reveal(),
    })
    const there = { ...options, port: other.running.tlsPort!, session: first.session }
    expect((await withSession(there)).reused).toBe(true)
    await other.remove()
  })

  it('takes a changed certificate from its files, and keeps the former while they are broken', async () => {
    const own = await TestServer.start('sqlite', environment())
    const serial = async () => {
      const socket = await secureSocket({
        port: own.running.tlsPort!,
        ca: authority.ca,
        servername: `x.${domain}`,
      })
      const { serialNumber } = socket.getPeerCertificate()
      socket.destroy()
      return serialNumber
    }
    const before = await serial()
    const next = await authority.certificate(domain, `*.${domain}`)
    await copyFile(next.certFile, certFile())
    expect(await serial()).toBe(before)
    await copyFile(next.keyFile, keyFile())
    await eventually(async () => (await serial()) !== before)
    await own.remove()
  })
})

describe('a server app behind HTTPS', () => {
  const program = `
const { createServer } = require('node:http')
const server = createServer((req, res) => {
  res.setHeader('set-cookie', ['a=1', 'b=2'])
  res.setHeader('connection', 'close')
  if (req.url === '/go') res.setHeader('location', 'http://localhost:' + process.env.PORT + '/login')
  let size = 0
  req.on('data', chunk => { size += chunk.length })
  req.on('end', () => res.end(JSON.stringify({
    proto: req.headers['x-forwarded-proto'], host: req.headers.host, method: req.method, size,
    pseudo: Object.keys(req.headers).filter(name => name.startsWith(':')),
  })))
})
server.on('upgrade', (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n')
  socket.pipe(socket)
})
server.listen(process.env.PORT, process.env.HOSTNAME)
`
  let host: string
  beforeAll(async () => {
    const name = await deploySite(server, token, { Procfile: 'web: node server.js\n', 'server.js': program })
    host = `${name}.${domain}`
  })

  it.each(['h2', 'http/1.1'] as const)('is asked by %s, with bodies and cookies', async protocol => {
    const ask = (rest: object) => protocols[protocol]({ port, ca: authority.ca, host, ...rest })
    const read = await ask({})
    // The port may be named, too.
    const named = expect.stringContaining(host)
    expect(JSON.parse(read.text)).toEqual({ proto: 'https', host: named, method: 'GET', size: 0, pseudo: [] })
    expect(read.headers['strict-transport-security']).toBe('max-age=31536000')
    expect(read.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    const sent = await ask({ method: 'POST', body: 'x'.repeat(300_000) })
    expect(JSON.parse(sent.text)).toMatchObject({ method: 'POST', size: 300_000 })
  })

  it.each(['h2', 'http/1.1'] as const)('redirects to its site by %s, not to its own port', async protocol => {
    const { headers } = await protocols[protocol]({ port, ca: authority.ca, host, path: '/go' })
    expect(headers.location).toBe(`https://${host}/login`)
  })

  it('is spoken to by upgraded connections', async () => {
    const socket = await secureSocket({
      port,
      ca: authority.ca,
      servername: host,
      ALPNProtocols: ['http/1.1'],
    })
    let got = ''
    socket.on('data', chunk => {
      got += chunk
    })
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`)
    await eventually(async () => got.includes('\r\n\r\n'))
    expect(got).toMatch(/^HTTP\/1\.1 101 /)
    socket.write('are you there?')
    await eventually(async () => got.endsWith('are you there?'))
    socket.destroy()
  })
})

describe('plain HTTP beside it', () => {
  const plain = (host: string, path = '/', options = {}) => server.request(path, { host, ...options })

  it('sends everyone to HTTPS, with method, path and query', async () => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const { status, headers } = await plain(`${site}.${domain}:80`, '/a/b?c=%20d', { method })
      expect([status, headers.location]).toEqual([308, `https://${site}.${domain}/a/b?c=%20d`])
      expect(headers['strict-transport-security']).toBeUndefined()
    }
    expect((await plain(`api.${domain}`, '/health')).status).toBe(308)
    expect((await plain(`${site}.${domain}`)).status).toBe(308)
  })

  it('stays for hosts without a certificate, for bare addresses, and behind a proxy that came by HTTPS', async () => {
    expect((await plain('no-certificate.example')).status).toBe(404)
    expect((await plain('127.0.0.1', '/health')).status).toBe(200)
    const socket = connectPlain({ port: server.running.port, host: '127.0.0.1', localAddress: '127.0.0.9' })
    socket.end(
      `GET / HTTP/1.1\r\nHost: ${site}.${domain}\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n`,
    )
    let answer = ''
    for await (const chunk of socket) answer += chunk
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain('Strict-Transport-Security: max-age=31536000')
  })
})

/** Shakes hands and waits for a ticket to come, which in TLS 1.3 is after the handshake. */
async function withSession(options: ConnectionOptions): Promise<{ session: Buffer; reused: boolean }> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', ...options })
  const ticket = once(socket, 'session')
  await once(socket, 'secureConnect')
  const reused = socket.isSessionReused()
  const session = reused ? Buffer.alloc(0) : ((await ticket)[0] as Buffer)
  socket.destroy()
  return { session, reused }
}
