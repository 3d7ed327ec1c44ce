import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { exchange } from '../../testing/connection.ts'
import { TestServer } from '../../testing/server.ts'
import { deploySite, setPassword, unlock } from '../../testing/sites.ts'

describe('no way of asking gets around the gate', () => {
  let server: TestServer
  let open: string
  let locked: string

  const get = (host: string, path = '/', ...fields: string[]) =>
    [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...fields, '', ''].join('\r\n')
  const close = 'Connection: close'
  const ask = (...chunks: string[]) => exchange(server.running.port, chunks)
  const statuses = (answers: string) =>
    [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

  beforeAll(async () => {
    server = await TestServer.start()
    const { token } = await server.account()
    open = await deploySite(server, token, { 'index.html': 'open page' })
    locked = await deploySite(server, token, { 'index.html': 'secret page' })
    // Both are hot, and in memory as they are for everyone.
    for (const name of [open, locked, open, locked])
      expect(
        await ask(
          get(`${name}.localhost`, '/', 'Connection: keep-alive'),
          get(`${name}.localhost`, '/', close),
        ),
      ).toContain(' page')
    await setPassword(server, token, locked, 'hunter22')
    expect((await unlock(server, locked, { password: 'hunter22' })).status).toBe(303)
  })
  afterAll(() => server.remove())

  test.each<[string, (host: string) => string]>([
    ['a plain GET', host => get(host, '/', close)],
    ['a GET in the fast lane', host => get(host) + get(host, '/', close)],
    ['HTTP/1.0', host => get(host, '/').replace('1.1', '1.0')],
    ['a host in capitals', host => get(host.toUpperCase(), '/', close)],
    ['a host with a port', host => get(`${host}:80`, '/', close)],
    ['a host with a dot at its end', host => get(`${host}.`, '/', close)],
    ['a header name in odd case', host => get(host, '/', close).replace('Host', 'hOsT')],
    ['an absolute target', host => get(host, `http://${host}/`, close)],
    ['an absolute target under another host', host => get(`${open}.localhost`, `http://${host}/`, close)],
    ['a query', host => get(host, '/?x=1', close)],
    ['a path that is written otherwise', host => get(host, '/%69ndex.html', close)],
    ['a double slash', host => get(host, '//index.html', close)],
    ['a condition', host => get(host, '/', 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT', close)],
    ['a range', host => get(host, '/', 'Range: bytes=0-3', close)],
    ['an encoding', host => get(host, '/', 'Accept-Encoding: br, gzip', close)],
    ['an upgrade', host => get(host, '/', 'Connection: Upgrade, close', 'Upgrade: websocket')],
    ['a body', host => `${get(host, '/', 'Content-Length: 3', close)}abc`],
    ['a method override', host => get(host, '/', 'X-HTTP-Method-Override: GET', close)],
    ['a rewritten address', host => get(host, '/x', 'X-Original-URL: /', 'X-Rewrite-URL: /', close)],
    ['a forwarded host', host => get(host, '/', `X-Forwarded-Host: ${open}.localhost`, close)],
    ['an expectation', host => get(host, '/', 'Expect: 100-continue', close)],
  ])('%s', async (_, request) => {
    const answer = await ask(request(`${locked}.localhost`))
    expect(answer).not.toContain('secret')
    expect(statuses(answer)).not.toContain(200)
    expect(statuses(answer)).not.toContain(304)
    expect(statuses(answer)).toContain(401)
  })

  it('on a connection that served an open site before', async () => {
    const before = get(`${open}.localhost`)
    const answers = await ask(
      before,
      before,
      get(`${locked}.localhost`),
      before,
      get(`${locked}.localhost`, '/', close),
    )
    expect(statuses(answers)).toEqual([200, 200, 401, 200, 401])
    expect(answers).not.toContain('secret')
  })

  it('in a pipeline between requests for an open site', async () => {
    const [one, two] = [get(`${open}.localhost`), get(`${locked}.localhost`)]
    const answers = await ask(one + two + one + two + get(`${open}.localhost`, '/', close))
    expect(statuses(answers)).toEqual([200, 401, 200, 401, 200])
    expect(answers).not.toContain('secret')
  })

  it('with two hosts', async () => {
    const answer = await ask(get(`${open}.localhost`, '/', `Host: ${locked}.localhost`, close))
    expect(answer).not.toContain('secret')
  })
})
