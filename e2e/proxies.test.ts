// The configurations of reverse proxies in deploy/, with the real programs. Hosts, ports and certificates are replaced.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import path from 'node:path'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { Authority } from '@svc/server/dist/testing/authority.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freePort } from '@svc/server/dist/testing/free-ports.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

interface Tools {
  findTool(name: 'nginx' | 'caddy'): string | undefined
}
const { findTool }: Tools = await import(new URL('../../scripts/tools.mjs', import.meta.url).href)

const domain = 'proxied.test'
/** Whom the proxy sees: not the address that svcd trusts. */
const visitor = '127.0.0.2'

const echo = `const { createHash } = require('node:crypto')
require('node:http').createServer((req, res) => res.end(JSON.stringify(req.headers)))
  .on('upgrade', (req, socket) => {
    const key = createHash('sha1').update(req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + key + '\\r\\n\\r\\n')
    socket.on('data', data => socket.write('echo ' + data)).on('error', () => socket.destroy())
  }).listen(process.env.PORT)`

interface Proxy {
  tool: 'nginx' | 'caddy'
  /** The certificate of a custom domain comes by itself. */
  isOnDemand: boolean
  /** Writes its configuration and returns its arguments. */
  prepare(places: Places): Promise<string[]>
}

interface Places {
  dir: string
  port: number
  plainPort: number
  svcdPort: number
  authority: Authority
}

const fileOf = (name: string) => readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

const proxies: Proxy[] = [
  {
    tool: 'caddy',
    isOnDemand: true,
    async prepare({ dir, port, plainPort, svcdPort }) {
      const own = `admin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tstorage file_system ${dir}/caddy`
      const text = (await fileOf('Caddyfile'))
        .replace('email you@example.com', own)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${svcdPort}`)
      const file = path.join(dir, 'Caddyfile')
      await writeFile(file, text)
      return ['run', '--config', file, '--adapter', 'caddyfile']
    },
  },
  {
    tool: 'nginx',
    isOnDemand: false,
    async prepare({ dir, port, plainPort, svcdPort, authority }) {
      const { certFile, keyFile } = await authority.certificate(`*.${domain}`, domain)
      const text = (await fileOf('nginx.conf'))
        .replaceAll('example.com', domain)
        .replace(/ssl_certificate .*;/, `ssl_certificate ${certFile};`)
        .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${keyFile};`)
        .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('127.0.0.1:8080', `127.0.0.1:${svcdPort}`)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map(name => `${name}_temp_path ${dir}/${name};`)
        .join(' ')
      const file = path.join(dir, 'nginx.conf')
      const events = `daemon off; pid ${dir}/nginx.pid; error_log ${dir}/error.log; events {}`
      await writeFile(file, `${events}\nhttp { access_log off; ${temporary}\n${text}}\n`)
      return ['-c', file, '-e', `${dir}/error.log`]
    },
  },
]

for (const { tool } of proxies)
  if (!findTool(tool))
    console.warn(`${tool} is not installed, so its configuration in deploy/ is not tested.`)

describe.each(proxies)('$tool before svcd', ({ tool, isOnDemand, prepare }) => {
  /** Without the program, the tests are counted as skipped. */
  const check = test.runIf(findTool(tool) !== undefined)
  let machine: Machine
  let svcd: Svcd
  let authority: Authority
  let proxy: ChildProcess
  let port = 0
  let plainPort = 0
  let svcdPort = 0
  let token = ''

  interface Options {
    method?: string
    headers?: Record<string, string>
    body?: Buffer | string
  }

  const ask = (host: string, where = '/', { method = 'GET', headers = {}, body }: Options = {}) =>
    new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const to = { host: '127.0.0.1', localAddress: visitor, port, servername: host, agent: false as const }
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { ...to, rejectUnauthorized: false, method, path: where }
      const req = request({ ...options, headers: { host, ...length, ...headers } }, res => {
        let text = ''
        res
          .setEncoding('utf8')
          .on('data', part => (text += part))
          .on('error', reject)
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text, headers: res.headers }))
      })
      req.on('error', reject).end(body)
    })

  const api = (line: string, body?: unknown, more: Record<string, string> = {}) => {
    const [method = '', where = ''] = line.split(' ')
    const isArchive = Buffer.isBuffer(body)
    const type = { 'content-type': isArchive ? 'application/gzip' : 'application/json' }
    return ask(`api.${domain}`, where, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && type), ...more },
      ...(body !== undefined && { body: isArchive ? body : JSON.stringify(body) }),
    })
  }

  beforeAll(async () => {
    svcdPort = await freePort()
    machine = await Machine.make({
      ...{ SVCD_PLATFORM_DOMAIN: domain, SVCD_PORT: String(svcdPort) },
      ...{ SVCD_HOST: '127.0.0.1', SVCD_TRUST_PROXY: '127.0.0.1', SVCD_BILLING: 'off' },
    })
    svcd = await machine.start()
    token = await machine.token('ada')
    authority = await Authority.make()
    port = await freePort()
    plainPort = await freePort()
    const places = { dir: machine.dataDir, port, plainPort, svcdPort, authority }
    const args = await prepare(places)
    const env = { PATH: process.env.PATH ?? '', HOME: machine.dataDir, XDG_CONFIG_HOME: machine.dataDir }
    proxy = spawn(findTool(tool)!, args, { env, stdio: 'ignore' })
    await eventually(async () => {
      const socket = connect(port, '127.0.0.1')
      const isOpen = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false)
      socket.destroy()
      return isOpen
    })
  })

  afterAll(async () => {
    proxy?.kill('SIGTERM')
    if (proxy && proxy.exitCode === null) await once(proxy, 'exit')
    await svcd?.stop()
    await machine?.remove()
    await authority?.remove()
  })

  check('a large upload and its site go through, and plain HTTP leads to HTTPS', async () => {
    expect((await api('POST /projects', { name: 'shop' })).status).toBe(201)
    // Random bytes, so that the archive is as large.
    const files = { 'index.html': 'hello', 'large.bin': randomBytes(20 * 1024 ** 2) }
    expect((await api('POST /projects/shop/deployments', archiveOf(files))).status).toBe(201)
    expect(await ask(`shop.${domain}`)).toMatchObject({ status: 200, text: 'hello' })
    const status = await new Promise(resolve => {
      const to = {
        host: '127.0.0.1',
        port: plainPort,
        headers: { host: `shop.${domain}` },
        agent: false as const,
      }
      plainRequest(to, res => resolve([res.resume().statusCode, res.headers.location])).end()
    })
    expect(status).toEqual([expect.any(Number), expect.stringMatching(`^https://shop.${domain}`)])
  })

  check('svcd believes the address that the proxy reports, and none that a visitor makes up', async () => {
    const forged = {
      'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
    }
    expect((await api('POST /projects', { name: 'forged' }, forged)).status).toBe(201)
    const { entries } = JSON.parse((await api('GET /projects/forged/audit')).text)
    expect(entries[0].ip).toBe(visitor)
    // The same without the proxy, from an address that is not trusted.
    const direct = await new Promise<number>((resolve, reject) => {
      const headers = {
        host: `api.${domain}`,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      }
      const from = { host: '127.0.0.1', port: svcdPort, localAddress: '127.0.0.3', agent: false as const }
      const options = { ...from, method: 'POST', path: '/projects', headers: { ...headers, ...forged } }
      plainRequest(options, res => resolve(res.resume().statusCode ?? 0))
        .on('error', reject)
        .end('{"name":"direct"}')
    })
    expect(direct).toBe(201)
    const log = JSON.parse((await api('GET /projects/direct/audit')).text)
    expect(log.entries[0].ip).toBe('127.0.0.3')
  })

  check('an app sees the scheme and the address of the visitor, and WebSockets go through', async () => {
    await api('POST /projects', { name: 'chat' })
    const files = { Procfile: 'web: node app.cjs\n', 'app.cjs': echo }
    expect((await api('POST /projects/chat/deployments', archiveOf(files))).status).toBe(201)
    const seen = await ask(`chat.${domain}`, '/', {
      headers: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'gopher' },
    })
    expect(JSON.parse(seen.text)).toMatchObject({
      'x-forwarded-proto': 'https',
      'x-forwarded-for': expect.not.stringContaining('203.0.113.9'),
    })
    const answer = await new Promise((resolve, reject) => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
      const headers = {
        host: `chat.${domain}`,
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...upgrade,
      }
      const to = {
        host: '127.0.0.1',
        port,
        servername: `chat.${domain}`,
        rejectUnauthorized: false,
        agent: false as const,
      }
      request({ ...to, headers })
        .on('upgrade', (res, socket) => {
          socket.once('data', data => {
            resolve([res.statusCode, res.headers['sec-websocket-accept'], String(data)])
            socket.destroy()
          })
          socket.write('ping')
        })
        .on('response', res => reject(new Error(`no upgrade: ${res.statusCode}`)))
        .on('error', reject)
        .end()
    })
    expect(answer).toEqual([101, 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=', 'echo ping'])
  })

  // nginx has no such thing.
  if (isOnDemand)
    check(
      'a custom domain gets a certificate as soon as it is attached, and unknown hosts get none',
      async () => {
        await expect(ask('www.shop.example')).rejects.toThrow()
        expect((await api('POST /projects/shop/domains', { domain: 'www.shop.example' })).status).toBe(201)
        expect(await ask('www.shop.example')).toMatchObject({ status: 200, text: 'hello' })
        await expect(ask(`nobody.${domain}`)).rejects.toThrow()
        await expect(ask('elsewhere.example')).rejects.toThrow()
      },
    )
})
