import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { headers, RawClient, start } from './testing/raw-client.ts'
import { host, type LaneTestbed, startLaneTestbed } from './testing/testbed.ts'

let bed: LaneTestbed
beforeAll(async () => {
  bed = await startLaneTestbed()
})
afterAll(() => bed?.stop())

const get = (path: string, more: [string, string][] = []): [string, string][] => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', path],
  [':authority', host],
  ...more,
]

async function open(kind: 'lane' | 'node' = 'lane'): Promise<RawClient> {
  const client = await RawClient.open(bed.ports[kind])
  onTestFinished(() => client.close())
  client.send(start)
  return client
}

const withHttps = { settings: { initialWindowSize: 1 << 20 } }
function session(kind: 'lane' | 'node'): ClientHttp2Session {
  const client = connect(`http://127.0.0.1:${bed.ports[kind]}`, withHttps)
  client.on('error', () => undefined)
  onTestFinished(() => client.destroy())
  return client
}

async function ask(client: ClientHttp2Session, path: string, more: Record<string, string> = {}) {
  const stream = client.request({ ':scheme': 'https', ':authority': host, ':path': path, ...more })
  const answered = once(stream, 'response') as Promise<[IncomingHttpHeaders & { ':status': number }]>
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  const [answer] = await answered
  delete answer.date
  const { 'x-svc-request-id': _, ...headers } = answer
  return { headers: { ...headers }, text: text.replace(/req_\w+/, 'req_') }
}

describe('the lane', () => {
  it.each([
    '/',
    '/small.txt',
    '/empty.txt',
    '/one-frame.txt',
    '/two-frames.txt',
    '/larger.txt',
    '/stored.txt',
    '/small.txt?query',
  ])('answers a GET of %s as node:http2 does', async path => {
    const { lane } = bed.counts
    const [client, plain] = [session('lane'), session('node')]
    const unchanged = { 'if-none-match': bed.etags[path.split('?')[0]!]! }
    for (const more of [{}, { ':method': 'HEAD' }, unchanged] as Record<string, string>[]) {
      const answer = await ask(client, path, more)
      expect(answer).toEqual(await ask(plain, path, more))
    }
    expect(bed.counts.lane).toBe(lane + 3)
  })

  it('leaves everything else on the connection to node:http2', async () => {
    const [client, plain] = [session('lane'), session('node')]
    const before = { ...bed.counts }
    for (const [path, more] of [
      ['/nowhere', {}],
      ['/small.txt', { range: 'bytes=1-2' }],
      ['/docs', {}],
      ['/small.txt', { ':method': 'DELETE' }],
      ['/small.txt', { ':authority': 'nobody.example.test' }],
    ] as const)
      expect(await ask(client, path, more)).toEqual(await ask(plain, path, more))
    expect(bed.counts).toEqual({ lane: before.lane, node: before.node + 10 })
    await ask(client, '/small.txt')
    expect(bed.counts.lane).toBe(before.lane + 1)
  })

  it('answers requests that come together in one go, between answers of node:http2', async () => {
    const client = await open()
    const paths = ['/', '/small.txt', '/nowhere', '/one-frame.txt', '/docs/', '/empty.txt']
    client.send(...paths.map((path, at) => headers(2 * at + 1, get(path))))
    await client.until(
      () => [...client.streams.values()].filter(({ end }) => end === 'end').length === paths.length,
    )
    expect([...client.streams].sort(([a], [b]) => a - b).map(([, { status }]) => status)).toEqual([
      '200',
      '200',
      '404',
      '200',
      '200',
      '200',
    ])
    expect(client.violation).toBeUndefined()
  })
})
