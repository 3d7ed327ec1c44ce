// Plays the same client session to a server with the lane and to one with node:http2 alone, and compares what comes
// back.
import { type Manner, mannerFrom, piecesOf } from '../../testing/manners.ts'
import { preface } from '../frames.ts'
import { RawClient, type StreamSeen, settingsAck } from './raw-client.ts'
import { randomFrom, type Script, ScriptMaker } from './scripts.ts'
import { hotPaths, type LaneTestbed } from './testbed.ts'

/** Longer than any session takes, even on a busy machine. */
const timeoutMs = 60_000

interface Outcome {
  goaway: RawClient['goaway']
  isClosed: boolean
  violation: string | undefined
  streams: Record<number, StreamSeen>
}

async function play(
  ports: Ports,
  kind: keyof Ports['ports'],
  script: Script,
  random: () => number,
  manner: Manner,
): Promise<Outcome> {
  const client = await RawClient.open(
    (manner.isSecure ? ports.securePorts : ports.ports)[kind],
    manner.isSecure,
  )
  client.acknowledges = false
  client.streamWindow = script.streamWindow
  if (manner.readsLate) client.socket.pause()
  for (const { id, by } of script.granted) client.grant(id, by)
  const bytes = Buffer.concat([preface, ...script.frames])
  const enough = manner.ending === 'leaves' ? random() * bytes.length : bytes.length
  let sent = 0
  for (const piece of piecesOf(bytes, manner.pieces, random)) {
    if (sent > enough) break
    client.send(piece)
    sent += piece.length
    await new Promise(setImmediate)
  }
  const deadline = setTimeout(() => {
    client.violation ??= 'no answer in time'
    client.close()
  }, timeoutMs)
  await endings[manner.ending](client, script)
  clearTimeout(deadline)
  const { isClosed } = client
  client.close()
  const { goaway, violation, streams } = client
  return { goaway, isClosed, violation, streams: Object.fromEntries(streams) }
}

type Ports = Pick<LaneTestbed, 'ports' | 'securePorts'>

/** What the client does when it has sent its frames. */
const endings: Record<Manner['ending'], (client: RawClient, script: Script) => Promise<void>> = {
  async stays(client, script) {
    client.send(settingsAck)
    client.socket.resume()
    await client.roundTrip()
    const isOver = (id: number) => (client.streams.get(id)?.end ?? '') !== '' || script.resetByClient.has(id)
    // Enlarge the windows, so that all answers can be sent completely.
    client.send(client.grant(0, 8_000_000))
    for (const id of script.asked) if (!isOver(id)) client.send(client.grant(id, 2_000_000))
    await client.until(() => script.asked.every(isOver))
    await client.roundTrip()
  },
  async 'half-closes'(client, script) {
    client.send(settingsAck, client.grant(0, 8_000_000))
    // The window of a stream that is over may be enlarged for a while, too.
    for (const id of script.asked) client.send(client.grant(id, 2_000_000))
    client.socket.end()
    client.socket.resume()
    await client.closed()
  },
  async leaves(client) {
    client.reset()
    await client.closed()
  },
}

/**
 * Describes how the outcome with the lane differs from that with node:http2 alone. Returns undefined if it does not.
 */
function difference(script: Script, { ending }: Manner, node: Outcome, lane: Outcome): string | undefined {
  const violation = lane.violation ?? node.violation
  if (violation !== undefined) return `violation: ${violation}`
  if (ending !== 'stays') return differenceUntilEnd(node, lane)
  // node:http2 refuses a late frame if it still remembers the stream, and ignores it if not. The lane forgets streams sooner.
  // So scripts with late frames may end differently.
  const isRefused = ({ goaway, isClosed }: Outcome) => isClosed || Boolean(goaway?.code)
  if (isRefused(node) !== isRefused(lane) && !script.isLate) return 'another end of the connection'
  const isBroken = isRefused(node) || isRefused(lane)
  for (const id of Object.keys(lane.streams).concat(Object.keys(node.streams)).map(Number)) {
    const [seen, expected] = [lane.streams[id], node.streams[id]]
    // Behind a GOAWAY of the client without an error, the lane still answers requests, and node:http2 does not.
    if (node.goaway?.code && !script.isLate && seen?.status && id > node.goaway.lastId)
      return `an answer to ${id}, which came after the error`
    if (isBroken || script.resetByClient.has(id)) {
      // How much of an answer was sent before the end depends on timing. If both servers sent a status, status and
      // headers must be equal.
      const both = seen?.status && expected?.status
      if (both && (seen.status !== expected.status || !sameHeaders(seen, expected)))
        return `another answer to ${id}`
    } else if (JSON.stringify(sorted(seen)) !== JSON.stringify(sorted(expected)))
      return `another answer to ${id}`
  }
  return undefined
}

/**
 * Describes how what a client has received before it went away differs from what it would have received. How much it has received
 * depends on timing.
 */
function differenceUntilEnd(whole: Outcome, lane: Outcome): string | undefined {
  for (const [id, seen] of Object.entries(lane.streams)) {
    const expected = whole.streams[Number(id)]
    if (seen.status === '' || !expected?.status) continue
    if (seen.status !== expected.status || !sameHeaders(seen, expected)) return `another answer to ${id}`
    if (expected.end !== 'end') continue
    if (seen.bytes > expected.bytes || (seen.end === 'end' && seen.bytes < expected.bytes))
      return `another body to ${id}`
  }
  return undefined
}

const sameHeaders = (one: StreamSeen, other: StreamSeen): boolean =>
  JSON.stringify(sorted(one)?.headers) === JSON.stringify(sorted(other)?.headers)

const sorted = (stream: StreamSeen | undefined) =>
  stream && {
    ...stream,
    end: stream.status === '' ? stream.end : stream.end.replace('reset 0', 'end'),
    headers: Object.entries(stream.headers).sort(),
  }

interface Comparison {
  isRefused: boolean
  answers: number
  ending: Manner['ending']
  failure: string | undefined
}

/**
 * How often a session with hostile frames is played until both outcomes agree. The outcomes may differ because of
 * timing, so only a difference in all attempts is a failure.
 */
const attempts = 10

export async function compare(bed: LaneTestbed, seed: number): Promise<Comparison> {
  const hostility = seed % 3 === 0 ? 0 : seed % 3 === 1 ? 0.1 : 0.3
  const script = new ScriptMaker(seed, hotPaths, Object.values(bed.etags), hostility).make()
  let last: Comparison | undefined
  for (let attempt = 0; attempt < (hostility === 0 ? 1 : attempts); attempt++) {
    last = await compareOnce(bed, script, seed, attempt)
    if (last.failure === undefined) break
  }
  return last!
}

async function compareOnce(
  bed: LaneTestbed,
  script: Script,
  seed: number,
  attempt: number,
): Promise<Comparison> {
  const manner = mannerFrom(randomFrom(seed + 3_000_000))
  // A client that goes away is compared with one that stays. Of a CONTINUATION frame in many pieces, nghttp2 in Node counts each as
  // another frame, and refuses the tenth. node:http2 behind the lane gets whole frames.
  const reference: Manner = { ...manner, ending: 'stays', pieces: 'any' }
  const [node, lane] = await Promise.all([
    play(bed, 'node', script, randomFrom(seed + 1_000_000 + attempt), reference),
    play(bed, 'lane', script, randomFrom(seed + 2_000_000 + attempt), manner),
  ])
  const found = difference(script, manner, node, lane)
  const failure =
    found &&
    `seed ${seed}: ${found}\n  ${JSON.stringify(manner)}\n  node ${JSON.stringify(node)}\n  lane ${JSON.stringify(lane)}`
  return {
    isRefused: node.goaway !== undefined,
    answers: Object.keys(node.streams).length,
    ending: manner.ending,
    failure,
  }
}
