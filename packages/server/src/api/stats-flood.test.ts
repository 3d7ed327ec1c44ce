import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

const connections = 8
const perConnection = 1_500
const files = {
  'index.html': 'home',
  'about.html': 'about',
  'style.css': 'p{}',
  'large.txt': 'l'.repeat(40_000),
}

/** Pages, a style sheet, files that the visitor has, a range, and a path that is missing; from many browsers. */
const targets = ['/', '/style.css', '/about', '/', '/style.css?v=2', '/large.txt', '/missing', '/about']
/** Targets that the fast lane answers itself. */
const hotTargets = ['/', '/style.css', '/about', '/', '/style.css?v=2', '/large.txt']
const fieldsOf = (i: number, isHot: boolean): string[] => {
  const agent = `User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/${i % 300}.0`
  if (i % 5 === 0) return [agent, 'If-None-Match: *']
  return i % 97 === 0 && !isHot ? [agent, 'Range: bytes=0-1'] : [agent]
}

/** Sends all requests without waiting. Resolves when all are answered. */
function flood(port: number, host: string, first: number, isHot: boolean): Promise<number> {
  const paths = isHot ? hotTargets : targets
  const requests = Array.from({ length: perConnection }, (_, n) => {
    const i = first + n
    const fields = n === perConnection - 1 ? ['Connection: close'] : fieldsOf(i, isHot)
    return [`GET ${paths[i % paths.length]} HTTP/1.1`, `Host: ${host}`, ...fields, '', ''].join('\r\n')
  })
  return new Promise((done, fail) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(requests.join('')))
    socket.on('data', data => {
      text += data.toString('latin1')
    })
    socket.on('error', fail)
    socket.on('close', () => done(text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0))
  })
}

onEveryServer(server => {
  it('the platform counts every request of a flood, and no request twice', async () => {
    const { token } = await server().account()
    const name = await deploySite(server(), token, files)
    const statsOf = async () => (await send(server(), `GET /projects/${name}/stats?hours=72`, { token })).json
    const all = Array.from({ length: connections }, (_, i) =>
      flood(server().running.port, `${name}.localhost`, i * perConnection, i % 2 === 0),
    )
    expect(await Promise.all(all)).toEqual(all.map(() => perConnection))
    const sent = connections * perConnection
    await eventually(async () => (await statsOf()).totals.requests >= sent)
    const { totals, status, truncated } = await statsOf()
    expect(totals.requests).toBe(sent)
    expect(status['2xx'] + status['3xx'] + status['4xx']).toBe(sent)
    expect(truncated).toBe(false)
  }, 60_000)
})
