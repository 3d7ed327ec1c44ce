// A connection on a thread of its own, so that no fsync and no long read ever runs on a loop that serves.
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadAnswer, ThreadData, ThreadRequest } from './messages.ts'
import { openReader, openWriter, statements } from './open.ts'

const port = parentPort!
const { file, writes } = workerData as ThreadData
const connection = writes ? openWriter(file) : openReader(file)
const prepare = statements(connection)

port.on('message', (request: ThreadRequest | 'close') => {
  if (request === 'close') {
    connection.close()
    port.close()
    return
  }
  port.postMessage(run(request))
})
port.postMessage('ready')

function run({ id, sql, parameters, begins }: ThreadRequest): ThreadAnswer {
  try {
    if (begins) prepare('begin immediate').run([])
    const statement = prepare(sql)
    if (statement.hasRows) return { id, rows: statement.all(parameters) }
    return { id, affected: statement.run(parameters) }
  } catch (error) {
    const { message, code = 'UNKNOWN' } = error as Error & { code?: string }
    return { id, error: { message, code } }
  }
}
