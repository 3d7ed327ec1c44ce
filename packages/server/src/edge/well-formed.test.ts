import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchange } from '../testing/connection.ts'
import { protocols } from '../testing/https.ts'
import { httpsDomain as domain, startHttpsServer } from '../testing/https-server.ts'
import type { TestServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

let server: TestServer
let ca: string
let remove: () => Promise<void>
let host: string

beforeAll(async () => {
  ;({ server, ca, remove } = await startHttpsServer())
  const { token } = await server.account()
  host = `${await deploySite(server, token, { 'index.html': 'hello', 'a#b': 'fragment' })}.${domain}`
})
afterAll(() => remove?.())

/** The status of a request that is written as it is. */
async function statusOf(line: string, ...fields: string[]): Promise<number> {
  const bytes = [line, ...fields, 'Connection: close', '', ''].join('\r\n')
  const answer = await exchange(server.running.port, [bytes])
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
}
const ask = (headers: Record<string, string>, rest = {}) =>
  protocols.h2({ port: server.running.tlsPort!, ca, host, headers, ...rest })

describe('a request is refused with 400', () => {
  test.each([
    ['with a fragment in its target', '/#top'],
    ['with a fragment after a query', '/?x=1#top'],
    ['with a fragment in a target in absolute form', 'http://HOST/#top'],
    ['with nothing but a fragment after the host', 'http://HOST#top'],
    ['with a user in a target in absolute form', 'http://me@HOST/'],
    ['with no host in a target in absolute form', 'http:///'],
  ])('%s', async (_, target) => {
    expect(await statusOf(`GET ${target.replace('HOST', host)} HTTP/1.1`, `Host: ${host}`)).toBe(400)
  })

  test.each([
    ['two Hosts', ['Host: HOST', 'Host: HOST']],
    ['two Hosts in another case', ['Host: HOST', 'hOST: other.test']],
    ['two Hosts and one in the target', ['Host: HOST', 'Host: HOST'], 'http://HOST/'],
    ['a bad Host and a good one in the target', ['Host: a b'], 'http://HOST/'],
    ['no Host', []],
    ['an empty Host', ['Host:']],
    ['an empty Host and a port', ['Host: :80']],
    ['a user in its Host', ['Host: me@HOST']],
    ['a path in its Host', ['Host: HOST/x']],
    ['a query in its Host', ['Host: HOST?x']],
    ['a fragment in its Host', ['Host: HOST#x']],
    ['a backslash in its Host', ['Host: HOST\\x']],
    ['a space in its Host', ['Host: HOST other.test']],
    ['a tag in its Host', ['Host: <b>.test']],
    ['a list as its Host', ['Host: HOST, other.test']],
    ['bytes above 0x7f in its Host', ['Host: caf\xe9.test']],
    ['a port that is none', ['Host: HOST:http']],
    ['a port that is too large', ['Host: HOST:99999']],
    ['half an address as its Host', ['Host: [::1']],
  ])('with %s', async (_, fields, target = '/') => {
    const named = (text: string) => text.replace('HOST', host)
    expect(await statusOf(`GET ${named(target)} HTTP/1.1`, ...fields.map(named))).toBe(400)
  })

  test('with a fragment after a query, also if the file is in memory', async () => {
    const get = (target: string, connection: string) =>
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n\r\n`
    for (let i = 0; i < 2; i++) await exchange(server.running.port, [get('/', 'close')])
    const chunks = [get('/?x=1#top', 'keep-alive'), get('/', 'close')]
    const answer = await exchange(server.running.port, chunks)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('by HTTP/2 with a fragment, or with a Host other than its authority', async () => {
    expect(await ask({}, { path: '/#top' })).toMatchObject({ status: 400 })
    expect(await ask({ ':authority': host, host: 'other.test' })).toMatchObject({ status: 400 })
    expect(await ask({ ':authority': host, host })).toMatchObject({ status: 200 })
    expect(await ask({ ':authority': `me@${host}` })).toMatchObject({ status: 400 })
  })
})

test('a request that asks for another protocol is refused like any other', async () => {
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade']
  expect(await statusOf('GET /#top HTTP/1.1', `Host: ${host}`, ...upgrade)).toBe(400)
  expect(await statusOf('GET / HTTP/1.1', `Host: ${host}`, `Host: ${host}`, ...upgrade)).toBe(400)
})

test('a Host may have a port, upper case and a dot at its end', async () => {
  for (const name of [`${host}:80`, host.toUpperCase(), `${host}.`])
    expect(await statusOf('GET / HTTP/1.1', `Host: ${name}`)).toBe(308)
})

test('an unknown host is unknown, and not malformed', async () => {
  expect(await statusOf('GET / HTTP/1.1', 'Host: other.test')).toBe(404)
  expect(await statusOf('GET / HTTP/1.0')).toBe(404)
})

test('names of methods are case-sensitive by HTTP/2, too', async () => {
  expect(await ask({}, { method: 'GET' })).toMatchObject({ status: 200, text: 'hello' })
  for (const method of ['get', 'Get', 'gET', 'post', 'BREW'])
    expect(await ask({}, { method })).toMatchObject({ status: 501 })
})

test('a file whose name has a number sign is found by its escape', async () => {
  expect(await ask({}, { path: '/a%23b' })).toMatchObject({ status: 200, text: 'fragment' })
})

describe('a client that refuses a file as it is', () => {
  test.each(['identity;q=0', '*;q=0', 'gzip;q=0, *;q=0', 'Identity;Q=0, compress'])(
    'by Accept-Encoding: %s gets 406',
    async header => {
      const answer = await ask({ 'accept-encoding': header })
      expect(answer).toMatchObject({ status: 406 })
      expect(answer.headers['cache-control']).toContain('no-store')
    },
  )

  test.each(['', 'gzip', 'identity', '*;q=0, identity', 'gzip;q=0'])(
    'but not by Accept-Encoding: %j',
    async header => {
      expect(await ask({ 'accept-encoding': header })).toMatchObject({ status: 200, text: 'hello' })
    },
  )

  test('is told what is missing all the same', async () => {
    expect(await ask({ 'accept-encoding': 'identity;q=0' }, { path: '/missing' })).toMatchObject({
      status: 404,
    })
  })
})
