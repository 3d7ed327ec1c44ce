// Plays the same conversations to an edge with the lane and to one without it, and compares what clients and apps receive.
import { connect, type Socket } from 'node:net'
import { startRawApp, startTestApp, type TestApp } from '../../../proxy/testapp.ts'
import { readAnswers } from './answers.ts'
import { paths, type Reply, type Step } from './scripts.ts'

/** The requests that the app received, by name and path. */
type Received = Map<string, Set<string>>

interface Side {
  bed: TestApp
  app: Awaited<ReturnType<typeof startRawApp>>
  received: Received
}

interface Comparison {
  lane: TestApp
  ordinary: TestApp
  /**
   * Plays a conversation to both. Returns what was received with the lane, and without it. `isRepeating`: all requests have the
   * same header fields, so they have one name, and each has another path.
   */
  play(script: readonly Step[], isRepeating?: boolean): Promise<[string, string]>
  stop(): Promise<void>
}

export async function startComparison(): Promise<Comparison> {
  const replies = new Map<string, Reply>()
  const sides = [await startSide(true, replies), await startSide(false, replies)] as const
  let lastCase = 0
  return {
    lane: sides[0].bed,
    ordinary: sides[1].bed,
    async play(script, isRepeating = false) {
      lastCase++
      const steps = script.map(step => ({ ...step, name: String(isRepeating ? lastCase : ++lastCase) }))
      for (const step of steps) replies.set(keyOf(step), step.reply)
      const [lane, ordinary] = await Promise.all(sides.map(side => playTo(side, steps)))
      for (const key of steps.map(keyOf)) {
        replies.delete(key)
        for (const { received } of sides) received.delete(key)
      }
      return [lane!, ordinary!]
    },
    async stop() {
      for (const { bed, app } of sides) {
        await bed.stop()
        await app.stop()
      }
    },
  }
}

/** Starts an app that answers a request with the reply of its name and path, and remembers the requests. */
export async function startReplyingApp(replies: ReadonlyMap<string, Reply>) {
  const received: Received = new Map()
  /** Parts of requests, by connection. */
  const begun = new WeakMap<Socket, string>()
  const app = await startRawApp((chunk, socket) => {
    const text = (begun.get(socket) ?? '') + chunk
    const isWhole = text.length >= requestLength(text)
    begun.set(socket, isWhole ? '' : text)
    if (isWhole) answer(text, socket)
  })
  const answer = (text: string, socket: Socket): void => {
    const name = /\r\nx-case: (\d+)\r\n/i.exec(text)?.[1]
    if (name === undefined) return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const key = keyOf({ name, path: text.split(' ', 2)[1]! })
    const seen = received.get(key) ?? new Set()
    received.set(key, seen.add(requestMeaning(text)))
    const reply = replies.get(key)
    // A request that the client pipelined may arrive after the client has gone away.
    if (reply === undefined) socket.destroy()
    else void sendReply(socket, reply, app.port)
  }
  return { app, received }
}

async function startSide(fastLanes: boolean, replies: ReadonlyMap<string, Reply>): Promise<Side> {
  const { app, received } = await startReplyingApp(replies)
  const bed = await startTestApp((_req, res) => res.end(), { fastLanes })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  // The cache learns that these answers are not to be stored. From then on the lane takes such requests.
  for (const path of paths) await bed.ask('shop', path)
  return { bed, app, received }
}

async function sendReply(socket: Socket, { chunks, closes }: Reply, port: number): Promise<void> {
  for (const chunk of chunks) {
    socket.write(chunk.replaceAll(':APP', `:${port}`), 'latin1')
    await new Promise(next => setImmediate(next))
  }
  if (closes) socket.end()
}

/** The length of a request, once its head is there. */
function requestLength(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return Number.POSITIVE_INFINITY
  return headEnd + 4 + Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, headEnd + 4))?.[1] ?? 0)
}

/** The request that the app received, with its fields in a fixed order, without the request's id. */
function requestMeaning(text: string): string {
  const headEnd = text.indexOf('\r\n\r\n')
  const [line, ...fields] = text.slice(0, headEnd).split('\r\n')
  const known = fields.map(field => field.replace(/^([^:]+):[ \t]*(.*?)[ \t]*$/, '$1: $2'))
  const sorted = known.filter(field => !field.startsWith('X-Svc-Request-Id')).sort()
  return [line, ...sorted, text.slice(headEnd + 4)].join('\n')
}

const last = 'GET / HTTP/1.1\r\nHost: shop.example.test\r\nConnection: close\r\n\r\n'

type NamedStep = Step & { name: string }

const keyOf = ({ name, path }: Pick<NamedStep, 'name' | 'path'>): string => `${name} ${path}`

/** Plays the client's part. Returns all that the client received, and then all that the app received. */
async function playTo(side: Side, steps: readonly NamedStep[]): Promise<string> {
  const answers = await playClient(side, steps)
  // It is a matter of time how much a client receives of an answer that is broken off, and what the app receives then.
  const isWhole = answers.length === steps.length + 1
  const answered = steps.slice(0, answers.length)
  const requests = answered.flatMap(step => [...(side.received.get(keyOf(step)) ?? [])])
  return [...answers, isWhole ? '' : '(broken off)', ...requests].join('\n\n')
}

function playClient({ bed }: Side, steps: readonly NamedStep[]): Promise<string[]> {
  const methods = steps.map(({ method }) => method)
  return new Promise(done => {
    let text = ''
    let onData = () => undefined
    const socket = connect({ port: bed.port, host: '127.0.0.1', noDelay: true }, async () => {
      for (const [i, { chunks, waits, name }] of steps.entries()) {
        for (const chunk of chunks) {
          socket.write(chunk.replace('CASE', name), 'latin1')
          await new Promise(next => setImmediate(next))
        }
        while (waits && !socket.closed && readAnswers(text, methods).length <= i)
          await new Promise<void>(next => {
            onData = () => void next()
          })
      }
      socket.write(last)
    })
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      onData()
    })
    // The server resets the connection if more comes behind an answer that it broke off.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      onData()
      done(readAnswers(text, methods))
    })
  })
}
