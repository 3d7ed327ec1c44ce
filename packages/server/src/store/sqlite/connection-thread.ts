// A connection on its own thread, so that no fsync and no long read runs on an event loop that serves.
import { parentPort, workerData } from 'node:worker_threads'
import { answerCalls } from '../../lib/worker-calls.ts'
import type { StatementResult, ThreadData, ThreadRequest } from './messages.ts'
import { openReader, openWriter, statements } from './open.ts'

const port = parentPort!
const { file, writes } = workerData as ThreadData
const connection = writes ? openWriter(file) : openReader(file)
const prepare = statements(connection)

answerCalls(port, (request: ThreadRequest): StatementResult => {
  if (request !== 'close') return run(request)
  connection.close()
  return {}
})
port.postMessage('ready')

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
