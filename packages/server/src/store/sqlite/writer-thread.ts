// The writer thread: the only connection that writes, so that no fsync ever runs on a loop that serves.
import { parentPort, workerData } from 'node:worker_threads'
import type { WriterAnswer, WriterRequest } from './messages.ts'
import { openWriter, statements } from './open.ts'

const port = parentPort!
const connection = openWriter((workerData as { file: string }).file)
const prepare = statements(connection)

port.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    connection.close()
    port.close()
    return
  }
  port.postMessage(run(request))
})
port.postMessage('ready')

function run({ id, sql, parameters, begins }: WriterRequest): WriterAnswer {
  try {
    if (begins) prepare('begin immediate').run()
    const statement = prepare(sql)
    if (statement.reader) return { id, rows: statement.all(...parameters) }
    return { id, affected: statement.run(...parameters).changes }
  } catch (error) {
    const { message, code = 'UNKNOWN' } = error as Error & { code?: string }
    return { id, error: { message, code } }
  }
}
