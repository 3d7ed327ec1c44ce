import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../lib/secret.ts'
import { Authority } from '../../testing/authority.ts'
import { Pebble } from '../../testing/pebble.ts'
import { acmeClient } from './client.ts'
import { AcmeAway, AcmeRefusal } from './port.ts'

const openssl = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('openssl', args)).stdout

/** The error of creating an account at an authority that always gives this answer. */
async function refusal(status: number, headers: Record<string, string>, body = ''): Promise<unknown> {
  const server = createServer((_req, res) => res.writeHead(status, headers).end(body)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return await askAt((server.address() as AddressInfo).port)
}

async function askAt(port: number): Promise<unknown> {
  const directory = `http://127.0.0.1:${port}/dir`
  const acme = acmeClient({ directory, email: undefined, caFile: undefined })
  return await acme.account(await acme.newKey()).catch((error: unknown) => error)
}

it('the client tells a failing authority from a rate limit', async () => {
  const busy = await refusal(503, { 'retry-after': '120' }, '{"detail":"Service busy; retry later."}')
  expect(busy).toBeInstanceOf(AcmeAway)
  expect(busy).toMatchObject({ message: 'Service busy; retry later.', retryAfter: 120_000 })
  expect(await refusal(502, {}, '<h1>Bad gateway</h1>')).toMatchObject({
    message: 'it is in trouble (HTTP 502)',
    retryAfter: undefined,
  })
  const tooMany = await refusal(429, { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' }, '{}')
  expect(tooMany).toBeInstanceOf(AcmeRefusal)
  expect(tooMany).not.toBeInstanceOf(AcmeAway)
  expect((tooMany as AcmeRefusal).retryAfter).toBeGreaterThan(0)
})

it('the client names the URL of an authority that cannot be reached', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  const away = await askAt(port)
  expect(away).toBeInstanceOf(AcmeAway)
  expect((away as Error).message).toContain(`the authority at 127.0.0.1:${port} cannot be reached`)
})

it('the client rejects with a readable error if the answer is not a directory', async () => {
  const odd = await refusal(200, { 'content-type': 'text/html' }, '<h1>It works</h1>')
  expect(odd).toBeInstanceOf(AcmeRefusal)
  expect((odd as Error).message).not.toBe('')
})

it('an authority that issues only to accounts it knows is told which one it is', async () => {
  const key = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'
  const pebble = await Pebble.start({ bindings: { 'kid-1': key } })
  onTestFinished(() => pebble.stop())
  const { directory, caFile } = pebble
  const openAccount = async (binding?: { keyId: string; key: Secret }) => {
    const acme = acmeClient({ directory, caFile, email: undefined, binding })
    return await (await acme.account(await acme.newKey())).newOrder(['shop.example.test'])
  }
  expect(await openAccount({ keyId: 'kid-1', key: new Secret(key) })).toContain('/my-order/')
  await expect(openAccount()).rejects.toThrow('set SVCD_ACME_EAB_KEY_ID and SVCD_ACME_EAB_KEY')
  await expect(openAccount({ keyId: 'kid-1', key: new Secret('A'.repeat(64)) })).rejects.toThrow(AcmeRefusal)
  await expect(openAccount({ keyId: 'kid-2', key: new Secret(key) })).rejects.toThrow(AcmeRefusal)
})

it('the client asks when a certificate is to be renewed, by the name that RFC 9773 gives to it', async () => {
  let window: object = { start: '2031-01-02T04:00:00Z', end: '2031-01-03T04:00:00Z' }
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    res.end(
      JSON.stringify(req.url === '/dir' ? { renewalInfo: `${base}/renewal` } : { suggestedWindow: window }),
    )
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const directory = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir`
  const acme = acmeClient({ directory, email: undefined, caFile: undefined })
  const authority = await Authority.make()
  onTestFinished(() => authority.remove())
  const { cert, certFile } = await authority.certificate('shop.example.test')
  const renewal = await acme.renewal(cert)
  expect(renewal).toEqual({
    start: Date.parse('2031-01-02T04:00:00Z'),
    end: Date.parse('2031-01-03T04:00:00Z'),
  })
  // As OpenSSL shows both parts.
  const shown = await openssl('x509', '-in', certFile, '-noout', '-serial', '-ext', 'authorityKeyIdentifier')
  const [key, serial] = asked[1]!.slice('/renewal/'.length).split('.')
  const hex = (part = '') => Buffer.from(part, 'base64url').toString('hex').toUpperCase()
  expect(shown.replaceAll(':', '')).toContain(hex(key))
  expect(shown).toContain(`serial=${hex(serial).replace(/^00/, '')}`)
  window = { start: 'soon', end: 'later' }
  expect(await acme.renewal(cert)).toBeUndefined()
})

it('an authority without renewal information is asked for nothing', async () => {
  const server = createServer((_req, res) => res.end('{}')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const directory = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir`
  const acme = acmeClient({ directory, email: undefined, caFile: undefined })
  expect(await acme.renewal('not even read')).toBeUndefined()
})
