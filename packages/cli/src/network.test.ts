import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { account, refusal, standIn } from './testing/api.ts'
import { secureServer, selfSigned } from './testing/certificates.ts'
import { svc, temporaryDirectory, token } from './testing/svc.ts'

/** Where the next step is named. */
const atTerminal = (env: Record<string, string>) => ({ terminal: true, env: { NO_COLOR: '1', ...env } })

const whoami = (url: string, env: Record<string, string> = {}) =>
  svc(['whoami'], atTerminal({ SVC_API_URL: url, SVC_TOKEN: token, ...env }))

/** A server that does with each connection what a test wants. */
async function rawServer(onText: (send: (text: string) => void, end: () => void) => void): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      onText(
        text => socket.write(text),
        () => socket.destroy(),
      ),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A URL where nothing listens any more. */
async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

describe('a platform that cannot be reached', () => {
  it('refuses the connection', async () => {
    const url = await closedPort()
    const { code, stdout, stderr } = await whoami(`${url}//`)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n')).toEqual([
      `svc: Could not reach ${url}: the connection was refused (network_error)`,
      expect.stringContaining('Nothing listens there.'),
      '',
    ])
  })

  it('has a port that HTTP clients refuse', async () => {
    const { stderr } = await whoami('http://127.0.0.1:1')
    expect(stderr).toContain('svc: Could not reach http://127.0.0.1:1: the connection was refused: the port')
  })

  it('has a name that is not found', async () => {
    const { stderr } = await whoami('http://nowhere.invalid')
    expect(stderr).toMatch(/^svc: Could not reach http:\/\/nowhere\.invalid: the name .*\(network_error\)\n/)
  })

  it.each([
    ['self-signed', {}, 'it is self-signed', 'NODE_EXTRA_CA_CERTS'],
    ['expired', { expired: true }, 'it has expired', 'Renew it'],
    ['for another host', { name: 'DNS:other.test' }, 'it is for other.test', 'Use a URL'],
  ])('shows a certificate that is %s', async (kind, about, why, next) => {
    const certificate = selfSigned(about)
    const url = await secureServer(certificate)
    const trusted: Record<string, string> =
      kind === 'self-signed' ? {} : { NODE_EXTRA_CA_CERTS: certificate.certFile }
    const { stderr } = await whoami(url, trusted)
    expect(stderr).toContain(
      `svc: Could not reach ${url}: its certificate is not trusted: ${why} (network_error)\n`,
    )
    expect(stderr).toContain(next)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('speaks no TLS where https was asked for', async () => {
    const api = await standIn({})
    const { stderr } = await whoami(api.url.replace('http:', 'https:'))
    expect(stderr).toContain('there is no TLS on that port (network_error)\n')
  })

  it('speaks something else than HTTP', async () => {
    const url = await rawServer((send, end) => {
      send('SSH-2.0-OpenSSH_9.2\r\n')
      end()
    })
    expect((await whoami(url)).stderr).toContain('does not speak HTTP (network_error)\n')
  })

  it('says nothing', async () => {
    const url = await rawServer(() => undefined)
    const { stderr } = await whoami(url, { SVC_TIMEOUT: '1' })
    expect(stderr).toMatch(/^svc: Could not reach \S+: no answer in 1 s \(network_error\)\n/)
  })

  it('falls silent in the middle of its answer', async () => {
    const url = await rawServer(send => send('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'))
    const { stderr } = await whoami(url, { SVC_TIMEOUT: '1' })
    expect(stderr).toContain('no answer in 1 s (network_error)\n')
  })

  it('hangs up before its answer, or in the middle of it', async () => {
    for (const text of ['', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{']) {
      const url = await rawServer((send, end) => {
        if (text) send(text)
        setImmediate(end)
      })
      expect((await whoami(url)).stderr).toContain('the connection broke off (network_error)\n')
    }
  })

  it('takes no timeout that is no number', async () => {
    const { code, stderr } = await whoami('http://127.0.0.1:1', { SVC_TIMEOUT: 'soon' })
    expect([code, stderr]).toEqual([
      1,
      "svc: SVC_TIMEOUT must be whole seconds from 1 to 9999, not 'soon'.\n",
    ])
  })
})

describe('an upload', () => {
  const site = { 'index.html': 'hi', 'svc.json': '{"project":"blog"}' }
  const target = 'POST /projects/blog/deployments'

  it('that breaks off says how far it came', async () => {
    const api = await standIn({
      [target]: request => request.once('data', () => request.socket.destroy()),
    })
    const cwd = temporaryDirectory(site)
    const { code, stderr } = await svc(['deploy'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/: the connection broke off after \d+ % of the upload \(network_error\)\n/)
  })

  it('that a proxy finds too big says so, and what to change', async () => {
    const api = await standIn({
      [target]: (_, response) => response.writeHead(413).end('<h1>413 Request Entity Too Large</h1>'),
    })
    const cwd = temporaryDirectory(site)
    const { stderr } = await svc(['deploy'], {
      cwd,
      ...atTerminal({ SVC_API_URL: api.url, SVC_TOKEN: token }),
    })
    expect(stderr).toContain('svc: API returned HTTP 413 (unknown)\n')
    expect(stderr).toContain('A proxy in front of the platform refuses uploads this big.')
    expect(stderr).toContain('client_max_body_size')
  })

  it('that the platform itself finds too big has its words alone', async () => {
    const api = await standIn({ [target]: refusal('payload_too_large', 'Too large.', 413) })
    const cwd = temporaryDirectory(site)
    const { stderr } = await svc(['deploy'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(stderr).toBe('svc: Too large. (payload_too_large)\n')
  })

  it('sends its token nowhere but to the address that was set', async () => {
    const other = await standIn({})
    const api = await standIn({
      [target]: (_, response) => response.writeHead(307, { location: `${other.url}/here` }).end(),
    })
    const cwd = temporaryDirectory(site)
    const { stderr } = await svc(['deploy'], {
      cwd,
      ...atTerminal({ SVC_API_URL: api.url, SVC_TOKEN: token }),
    })
    expect(stderr).toContain(`It redirects to ${other.url}.`)
    expect(other.calls).toEqual([])
  })
})

describe('an answer that is not of the platform', () => {
  it.each([
    [502, 'got no answer from the platform itself'],
    [503, 'got no answer from the platform itself'],
    [504, 'too slow for the proxy'],
    [404, 'the URL of the API?'],
  ])('with status %s is explained', async (status, words) => {
    const api = await standIn({
      'GET /me': (_, response) => response.writeHead(status).end('<h1>nginx</h1>'),
    })
    const { code, stderr } = await whoami(api.url)
    expect(code).toBe(1)
    expect(stderr.split('\n')).toEqual([
      `svc: API returned HTTP ${status} (unknown)`,
      expect.stringContaining(words),
      '',
    ])
  })

  it.each(['<html>', '', 'null', '[]', '"text"', '7', '{"id":'])(
    'with the body %j is no success',
    async body => {
      const api = await standIn({ 'GET /me': (_, response) => response.end(body) })
      const { code, stdout, stderr } = await whoami(api.url)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('API returned HTTP 200 with a body that is not a JSON object (unknown)\n')
      expect(stderr).toContain(`Is ${api.url} the URL of the API? It comes from SVC_API_URL.`)
    },
  )

  it('that redirects is not followed, whatever the method', async () => {
    const other = await standIn({ 'GET /me': { body: account } })
    const api = await standIn({
      'GET /me': (_, response) => response.writeHead(301, { location: `${other.url}/me` }).end(),
      'POST /tokens': (_, response) => response.writeHead(308, { location: `${other.url}/tokens` }).end(),
    })
    const settings = atTerminal({ SVC_API_URL: api.url, SVC_TOKEN: token })
    for (const args of [['whoami'], ['token', 'cli']]) {
      const { code, stderr } = await svc(args, settings)
      expect(code).toBe(1)
      expect(stderr).toContain(
        `It redirects to ${other.url}. If that is your platform, set SVC_API_URL to it.\n`,
      )
    }
    expect(other.calls).toEqual([])
  })
})

describe('a token that is not valid', () => {
  const refused = { 'GET /me': refusal('unauthorized', 'This token is not valid.', 401) }

  it('of a login asks for another', async () => {
    const api = await standIn(refused)
    const dir = temporaryDirectory({ 'credentials.json': `{"token":"${token}"}` })
    const { stderr } = await svc(['whoami'], atTerminal({ SVC_API_URL: api.url, SVC_CONFIG_DIR: dir }))
    expect(stderr).toBe("svc: This token is not valid. (unauthorized)\nRun 'svc login'.\n")
  })

  it('of SVC_TOKEN says where it comes from', async () => {
    const api = await standIn(refused)
    const { stderr } = await whoami(api.url)
    expect(stderr).toMatch(
      /^svc: This token is not valid\. \(unauthorized\)\nSVC_TOKEN is set and wins over the stored login\./,
    )
  })
})
