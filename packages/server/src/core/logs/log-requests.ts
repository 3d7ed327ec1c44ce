// Reads logs of another node through the database: a request is a row, and the other node writes its answer into that row. A
// node that does not answer in time counts as unreachable.

import { randomText } from '../../lib/ids.ts'
import { WakeSignal } from '../../lib/wake-signal.ts'
import type { KeptLogs, LogLine, LogRange } from '../../ports/app-logs/port.ts'
import {
  answerLogRequest,
  deleteLogRequest,
  findLogAnswer,
  insertLogRequest,
  openLogRequests,
} from '../../store/logs/log-requests.ts'
import type { Platform } from '../base/platform.ts'
import { type LogFilter, lineFilter } from './filter.ts'

interface NodeLogRequest extends LogRange {
  projectId: string
  /** The deployments whose lines belong to the log of the project. */
  deployments: ReadonlySet<string>
  filter: LogFilter
}

/** The logs of this node. */
type NodeLogs = Pick<Platform, 'store' | 'nodeId' | 'logs'>

/** Short, because a person waits for the answer. */
const answerWithinMs = 3_000
/** How often the row is read, in case a change was missed. */
const lookEveryMs = 500

/** `undefined` if the node does not answer. */
export async function askNode(
  { store, clock, logs, nodeId: own }: NodeLogs & Pick<Platform, 'clock'>,
  nodeId: string,
  wish: NodeLogRequest,
): Promise<LogLine[] | undefined> {
  if (nodeId === own) return await read(logs, wish)
  const id = randomText(20)
  const wakeSignal = new WakeSignal()
  const unsubscribe = store.changes.subscribe(change => {
    if (change.topic === 'everything' || (change.topic === 'log' && change.key === id)) wakeSignal.wake()
  })
  try {
    await store.transact(async (tx, changed) => {
      const row = { id, node_id: nodeId, request: encodeRequest(wish), answer: null, created_at: clock.now() }
      await insertLogRequest(tx, row)
      await changed({ topic: 'log', key: nodeId })
    })
    for (const until = performance.now() + answerWithinMs; performance.now() < until; ) {
      const answer = await findLogAnswer(store.db, id)
      if (answer !== undefined) return decodeLines(answer)
      await wakeSignal.wait(lookEveryMs)
    }
    return undefined
  } finally {
    unsubscribe()
    await deleteLogRequest(store.db, id)
  }
}

/** Runs on the node that keeps the logs. Returns the function that stops it. */
export function answerLogRequests(parts: NodeLogs, onError: (error: unknown) => void): () => Promise<void> {
  const { store, nodeId } = parts
  let answering = Promise.resolve()
  const answer = () => {
    answering = answering.then(() => answerAll(parts)).catch(onError)
  }
  const unsubscribe = store.changes.subscribe(change => {
    if (change.topic === 'everything' || (change.topic === 'log' && change.key === nodeId)) answer()
  })
  return async () => {
    unsubscribe()
    await answering
  }
}

async function answerAll({ store, logs, nodeId }: NodeLogs): Promise<void> {
  for (const { id, request } of await openLogRequests(store.db, nodeId)) {
    const lines = await read(logs, decodeRequest(request))
    await store.transact(async (tx, changed) => {
      await answerLogRequest(tx, id, encodeLines(lines))
      await changed({ topic: 'log', key: id })
    })
  }
}

function read(logs: KeptLogs, { deployments, filter, ...wish }: NodeLogRequest): Promise<LogLine[]> {
  const isWanted = lineFilter(filter)
  return logs.read({ ...wish, keep: line => deployments.has(line.deploymentId) && isWanted(line) })
}

const encodeRequest = ({ deployments, since, until, ...wish }: NodeLogRequest): string =>
  JSON.stringify({
    ...wish,
    since: since?.toString(),
    until: until?.toString(),
    deployments: [...deployments],
  })

function decodeRequest(text: string): NodeLogRequest {
  // A node of the version before names no filter.
  const { since, until, deployments, filter = {}, ...wish } = JSON.parse(text)
  const time = (value: string | undefined) => (value === undefined ? undefined : BigInt(value))
  return { ...wish, since: time(since), until: time(until), deployments: new Set(deployments), filter }
}

/** PostgreSQL takes no NUL in a text, but its escape in JSON. */
const encodeLines = (lines: LogLine[]): string =>
  JSON.stringify(lines.map(line => ({ ...line, at: line.at.toString() })))

const decodeLines = (text: string): LogLine[] =>
  (JSON.parse(text) as (Omit<LogLine, 'at'> & { at: string })[]).map(line => ({
    ...line,
    at: BigInt(line.at),
  }))
