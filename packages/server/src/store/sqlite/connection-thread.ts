// A connection on its own thread, so that no fsync and no long read runs on an event loop that serves.
import { parentPort, workerData } from 'node:worker_threads'
import { answerCalls } from '../../lib/worker-calls.ts'
import type { StatementResult, ThreadData, ThreadRequest } from './messages.ts'
import { openReader, openWriter, statements } from './open.ts'

const port = parentPort!
const { file, writes } = workerData as ThreadData
const connection = writes ? openWriter(file, writes) : openReader(file)
const prepare = statements(connection)

answerCalls(port, (request: ThreadRequest): StatementResult => {
  if (request !== 'close') return run(request)
  if (writes) emptyWal()
  connection.close()
  return {}
})
port.postMessage('ready')

/** Moves what was written into the database file itself, so that a copy of that file alone is complete. */
function emptyWal(): void {
  const moved = run({ sql: 'pragma wal_checkpoint(truncate)', parameters: [], begins: false })
  // Nothing is lost: the WAL is durable, and the next start reads it.
  if (moved.error) console.error(`The WAL of ${file} was not moved into it: ${moved.error.message}`)
}

function run({ sql, parameters, begins }: Exclude<ThreadRequest, 'close'>): StatementResult {
  try {
    if (begins) prepare('begin immediate').run([])
    const statement = prepare(sql)
    if (statement.hasRows) return { rows: statement.all(parameters) }
    return { affected: statement.run(parameters) }
  } catch (error) {
    const { message, code = 'UNKNOWN' } = error as Error & { code?: string }
    return { error: { message, code } }
  }
}
