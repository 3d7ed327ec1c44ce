// Plays the same requests by HTTP/2 to an app behind the lane and to one behind node:http2 alone, and compares what clients and apps
// receive.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { Exchange } from '../../../exchange.ts'
import { type Http2Timeouts, http2Connections } from '../../../https/http2-server.ts'
import { sendPage } from '../../../pages.ts'
import { patient, startTestApp, type TestApp } from '../../../proxy/testapp.ts'
import { refusalOf } from '../../../well-formed.ts'
import { decodedBy } from '../../apps/testing/answers.ts'
import { startReplyingApp } from '../../apps/testing/differential.ts'
import { paths, type Reply } from '../../apps/testing/scripts.ts'
import { certificate } from '../../testing/certificate.ts'
import { dataFrames, flags, frameTypes, preface } from '../frames.ts'
import { type Fields, frame, headers, RawClient, settings } from './raw-client.ts'

/** A body as the client sends it. */
export interface SentBody {
  /** Each is sent in frames of its own. */
  parts: string[]
  /** The value of Content-Length. */
  length: string
  isPadded: boolean
  /** Whether a trailer follows. */
  trailer: boolean
}

/** One request, and what the app answers to it. */
export interface Http2Step {
  method: string
  path: string
  fields: Fields
  body: SentBody | undefined
  reply: Reply
  /** Whether the client waits for the answer before it sends the next request. */
  waits: boolean
}

export interface Http2Conversation {
  steps: Http2Step[]
  /** The client's initial window of a stream. */
  window: number
  isSecure: boolean
}

/** An edge with an app, which answers HTTP/2 without TLS, and by TLS on another port. */
export async function startHttp2App(bed: TestApp, hasLane: boolean, timeouts: Partial<Http2Timeouts> = {}) {
  const { edge, hosts } = bed
  /** How many requests the lane has passed to apps, and how many node:http2 got. */
  const counts = { passed: 0, ofNode: 0 }
  const idle = { keepAlive: 600_000, idle: 600_000, request: 600_000 }
  const connections = http2Connections(
    (req, res, peer) => {
      counts.ofNode++
      // Without TLS, node:http2 alone would take the connection for an insecure one.
      const exchange = new Exchange(req, res, hosts, { peer: peer ?? { address: '127.0.0.1', secure: true } })
      exchange.isStrictTransport = true
      const refusal = refusalOf(exchange)
      if (refusal === undefined) edge.handle(exchange)
      else sendPage(exchange, refusal)
    },
    { headerBytes: 16 * 1024, timeouts: { ...idle, ...timeouts } },
  )
  const sources = {
    files: {
      find: (request: Parameters<typeof edge.findHot>[0]) => edge.findHot(request, hosts.find(request.host)),
      findStored: (request: Parameters<typeof edge.findHot>[0]) =>
        edge.findStored(request, hosts.find(request.host)),
      count: (...counted: unknown[]) => edge.countHot(...(counted as Parameters<typeof edge.countHot>)),
    },
    apps: {
      find: (...[head, peer]: [Parameters<typeof edge.findApp>[0], Parameters<typeof edge.findApp>[2]]) => {
        const target = edge.findApp(head, hosts.find(head.host), peer)
        if (target !== undefined) counts.passed++
        return target
      },
      count: (...counted: unknown[]) => edge.countApp(...(counted as Parameters<typeof edge.countApp>)),
    },
  }
  const server = createServer({ noDelay: true }, socket =>
    connections.accept(socket as Socket as TLSSocket, hasLane ? sources : undefined),
  )
  const secure = createTlsServer({ ...(await certificate()), ALPNProtocols: ['h2'] }, socket =>
    connections.accept(socket, hasLane ? sources : undefined),
  )
  for (const one of [server, secure]) await new Promise<void>(done => one.listen(0, '127.0.0.1', done))
  return {
    counts,
    stopSoon: (graceMs: number, idleMs: number) => connections.stop(graceMs, idleMs),
    port: (server.address() as AddressInfo).port,
    securePort: (secure.address() as AddressInfo).port,
    async stop() {
      await connections.stop(0)
      for (const one of [server, secure]) await new Promise(done => one.close(done))
    },
  }
}

export async function startHttp2Comparison() {
  const replies = new Map<string, Reply>()
  const sides = [await startSide(true, replies), await startSide(false, replies)] as const
  let lastCase = 0
  return {
    counts: sides[0].http2.counts,
    /** Returns what was received with the lane, and without it. */
    async play({ steps, window, isSecure }: Http2Conversation): Promise<[string, string]> {
      const named = steps.map(step => ({ ...step, key: `${++lastCase} ${step.path}` }))
      for (const { key, reply } of named) replies.set(key, reply)
      const [lane, ordinary] = await Promise.all(sides.map(side => playTo(side, named, window, isSecure)))
      for (const { key } of named) {
        replies.delete(key)
        for (const { received } of sides) received.delete(key)
      }
      return [lane!, ordinary!]
    },
    stop: async () => void (await Promise.all(sides.map(side => side.stop()))),
  }
}

async function startSide(hasLane: boolean, replies: ReadonlyMap<string, Reply>) {
  const { app, received } = await startReplyingApp(replies)
  const bed = await startTestApp((_req, res) => res.end(), { fastLanes: false, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  const http2 = await startHttp2App(bed, hasLane)
  // The cache learns that these answers are not to be stored. From then on the lane takes such requests.
  const client = await RawClient.open(http2.port)
  client.send(preface, settings())
  for (const [i, path] of paths.entries()) client.send(headers(2 * i + 1, requestFields('GET', path)))
  await client.until(() => paths.every((_, i) => client.streams.get(2 * i + 1)?.end === 'end'))
  client.close()
  const stop = async () => {
    await http2.stop()
    await bed.stop()
    await app.stop()
  }
  return { received, http2, stop }
}

type NamedStep = Http2Step & { key: string }

async function playTo(
  side: Awaited<ReturnType<typeof startSide>>,
  steps: readonly NamedStep[],
  window: number,
  isSecure: boolean,
): Promise<string> {
  const { port, securePort } = side.http2
  const client = await RawClient.open(isSecure ? securePort : port, isSecure)
  client.streamWindow = Math.max(window, client.streamWindow)
  client.send(preface, settings([[4, window]]))
  // Until then the server's windows are small.
  await client.roundTrip()
  const isOver = (id: number) => (client.streams.get(id)?.end ?? '') !== ''
  for (const [i, { method, path, fields, key, waits, body }] of steps.entries()) {
    const id = 2 * i + 1
    const head = [...requestFields(method, path), ['x-case', key.split(' ', 1)[0]!] as const, ...fields]
    if (body) head.push(['content-length', body.length])
    client.send(headers(id, head, body ? 4 : 5), client.grant(id, 1_000_000), client.grant(0, 1_000_000))
    if (body) await sendBody(client, id, body)
    if (waits) await client.until(() => isOver(id))
  }
  await client.until(() => steps.every((_, i) => isOver(2 * i + 1)))
  const answers = steps.map((_, i) => answerOf(client, 2 * i + 1))
  const { goaway, violation } = client
  client.close()
  const requests = steps.map(({ key }) => [...(side.received.get(key) ?? [])].join('\n'))
  return [...answers, ...requests, JSON.stringify({ goaway, violation })].join('\n\n')
}

async function sendBody(client: RawClient, id: number, body: SentBody): Promise<void> {
  for (const part of body.parts) {
    client.send(dataFrames(id, Buffer.from(part, 'latin1'), false))
    await new Promise(setImmediate)
  }
  const padded = frame(frameTypes.data, flags.padded | (body.trailer ? 0 : flags.endStream), id, padding)
  if (body.isPadded) client.send(padded)
  else if (!body.trailer) client.send(frame(frameTypes.data, flags.endStream, id))
  if (body.trailer) client.send(headers(id, [['x-last', 'y']]))
}

/** A pad length of 3, no content, and the padding. */
const padding = Buffer.from([3, 0, 0, 0])

export const requestFields = (method: string, path: string): Fields => [
  [':method', method],
  [':scheme', 'https'],
  [':path', path],
  [':authority', 'shop.example.test'],
]

function answerOf(client: RawClient, id: number): string {
  const seen = client.streams.get(id)
  if (seen === undefined) return 'no answer'
  const { status, headers, end } = seen
  // It is a matter of time how much a client receives of an answer that is broken off.
  if (end !== 'end' && end !== 'reset 0') return `broken off: ${end}`
  const fields = Object.entries(headers).filter(([name]) => name !== 'x-svc-deployment')
  const content = decodedBy(headers['content-encoding'], client.contents.get(id) ?? '')
  return [status, JSON.stringify(fields.sort()), content].join('\n')
}
