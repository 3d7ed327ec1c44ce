// Plays the same client session to a server with the lane and to one with node:http2 alone, and compares what comes
// back.
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

async function play(port: number, script: Script, random: () => number): Promise<Outcome> {
  const client = await RawClient.open(port)
  client.acknowledges = false
  client.streamWindow = script.streamWindow
  for (const { id, by } of script.granted) client.grant(id, by)
  const bytes = Buffer.concat([preface, ...script.frames])
  // The bytes are sent in pieces of random size, most of them small.
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() * random() * bytes.length)
    client.send(bytes.subarray(at, at + size))
    at += size
    await new Promise(setImmediate)
  }
  const deadline = setTimeout(() => {
    client.violation ??= 'no answer in time'
    client.close()
  }, timeoutMs)
  client.send(settingsAck)
  await client.roundTrip()
  const isOver = (id: number) => (client.streams.get(id)?.end ?? '') !== '' || script.resetByClient.has(id)
  // Enlarge the windows, so that all answers can be sent completely.
  client.send(client.grant(0, 8_000_000))
  for (const id of script.asked) if (!isOver(id)) client.send(client.grant(id, 2_000_000))
  await client.until(() => script.asked.every(isOver))
  await client.roundTrip()
  clearTimeout(deadline)
  const { isClosed } = client
  client.close()
  const { goaway, violation, streams } = client
  return { goaway, isClosed, violation, streams: Object.fromEntries(streams) }
}

/**
 * Describes how the outcome with the lane differs from that with node:http2 alone. Returns undefined if it does not.
 */
function difference(script: Script, node: Outcome, lane: Outcome): string | undefined {
  const violation = lane.violation ?? node.violation
  if (violation !== undefined) return `violation: ${violation}`
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
  const [node, lane] = await Promise.all([
    play(bed.ports.node, script, randomFrom(seed + 1_000_000 + attempt)),
    play(bed.ports.lane, script, randomFrom(seed + 2_000_000 + attempt)),
  ])
  const found = difference(script, node, lane)
  const failure =
    found && `seed ${seed}: ${found}\n  node ${JSON.stringify(node)}\n  lane ${JSON.stringify(lane)}`
  return { isRefused: node.goaway !== undefined, answers: Object.keys(node.streams).length, failure }
}
