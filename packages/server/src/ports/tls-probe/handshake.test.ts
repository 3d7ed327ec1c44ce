import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer as createPlainServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createServer } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPrivate } from '../../lib/private-addresses.ts'
import { handshakeProbe } from './handshake.ts'

const run = promisify(execFile)
const ends: (() => unknown)[] = []
let dir: string
let ca: string

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'svc-tls-'))
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '30',
  ]
  await run('openssl', [
    ...request,
    '-subj',
    '/CN=Test Root',
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
  ])
  ca = await readFile(file('ca.pem'), 'utf8')
})
afterAll(async () => {
  for (const end of ends) end()
  await rm(dir, { recursive: true })
})

const file = (name: string) => path.join(dir, name)

/** A certificate of the test's own authority, valid between the given days, counted from now. */
async function certificateFor(host: string, days: { from: number; to: number }) {
  const name = `${host}-${days.from}-${days.to}`
  const at = (day: number) =>
    new Date(Date.now() + day * 86_400_000).toISOString().replace(/[-:T]/g, '').slice(0, 14).concat('Z')
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file(`${name}.key`),
  ]
  await run('openssl', ['req', '-new', ...key, '-subj', `/CN=${host}`, '-out', file(`${name}.csr`)])
  await writeFile(file('index.txt'), '')
  const config = `[ca]\ndefault_ca=d\n[d]\ndatabase=${file('index.txt')}\nnew_certs_dir=${dir}\nrand_serial=yes\ndefault_md=sha256\npolicy=p\nx509_extensions=x\nunique_subject=no\n[p]\ncommonName=supplied\n[x]\nsubjectAltName=DNS:${host}\n`
  await writeFile(file('ca.conf'), config)
  const signer = ['-config', file('ca.conf'), '-cert', file('ca.pem'), '-keyfile', file('ca.key')]
  const dates = ['-startdate', at(days.from), '-enddate', at(days.to)]
  const out = ['-in', file(`${name}.csr`), '-out', file(`${name}.pem`)]
  await run('openssl', ['ca', '-batch', '-notext', ...signer, ...dates, ...out])
  return { cert: await readFile(file(`${name}.pem`)), key: await readFile(file(`${name}.key`)) }
}

async function serve(options: { cert: Buffer | string; key: Buffer | string }): Promise<number> {
  const server = createServer(options).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const addresses = async (name: string) => (name === 'localhost' ? ['127.0.0.1'] : [])
const probe = (port: number, trust = true) =>
  handshakeProbe({ port, allowPrivate: true, addresses, ...(trust ? { ca: [ca] } : {}) })('localhost')

describe('a TLS handshake', () => {
  it('finds a valid certificate', async () => {
    const port = await serve(await certificateFor('localhost', { from: -1, to: 20 }))
    const shown = await probe(port)
    expect(shown).toMatchObject({ issuer: 'Test Root', subject: 'localhost', problem: undefined })
    if (!('validTo' in shown)) throw new Error('unreachable')
    expect(Math.round((shown.validTo - Date.now()) / 86_400_000)).toBe(20)
  })

  it.each([
    ['localhost', { from: -20, to: -1 }, 'the certificate has expired'],
    ['localhost', { from: 5, to: 20 }, 'the certificate is not valid yet'],
    ['other.example', { from: -1, to: 20 }, 'the certificate is for another host'],
  ])('finds that one for %s, %j, is no good', async (host, days, problem) => {
    const port = await serve(await certificateFor(host, days))
    expect(await probe(port)).toMatchObject({ problem })
  })

  it('trusts neither an unknown authority nor a self-signed certificate', async () => {
    const port = await serve(await certificateFor('localhost', { from: -1, to: 21 }))
    expect(await probe(port, false)).toMatchObject({ problem: expect.stringMatching(/trusted/) })
    const self = await serve({ cert: ca, key: await readFile(file('ca.key')) })
    expect(await probe(self, false)).toMatchObject({ problem: 'the certificate is self-signed' })
  })

  it('says why it could not connect', async () => {
    const closed = createPlainServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    expect(await probe(port)).toEqual({ unreachable: `nothing answers on port ${port} of localhost` })
    const plain = createPlainServer(socket => {
      socket.on('error', () => undefined).resume()
      socket.write('no TLS here')
    }).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    ends.push(() => plain.close())
    const spoken = (plain.address() as AddressInfo).port
    expect(await probe(spoken)).toEqual({
      unreachable: `what answers on port ${spoken} of localhost speaks no TLS, or has no certificate for it yet`,
    })
    const rude = createPlainServer(socket => socket.destroy()).listen(0, '127.0.0.1')
    await once(rude, 'listening')
    ends.push(() => rude.close())
    expect(await probe((rude.address() as AddressInfo).port)).toEqual({
      unreachable: 'localhost closed the connection before it showed a certificate',
    })
    const unknown = await handshakeProbe({ port: 443, allowPrivate: true, addresses })('nowhere.invalid')
    expect(unknown).toEqual({ unreachable: 'nowhere.invalid has no public address in the DNS' })
  })

  it('connects to no private address unless that is allowed', async () => {
    const found = await handshakeProbe({ port: 443, allowPrivate: false, addresses })('localhost')
    expect(found).toEqual({ unreachable: 'localhost has no public address in the DNS' })
    const some = [
      '10.1.2.3',
      '127.0.0.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::7f00:1',
      '2002:7f00:1::',
      '::ffff:7f00:1',
      '::ffff:192.168.0.1',
      '8.8.8.8',
      '2001:4860:4860::8888',
    ]
    expect(some.map(isPrivate)).toEqual([...Array(9).fill(true), false, false])
  })
})
