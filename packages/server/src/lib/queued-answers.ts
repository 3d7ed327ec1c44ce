// Node tells an answer that its connection is gone only when it is that answer's turn. Those of further requests on the
// same connection, sent without waiting, would never hear of it, and whoever works for them would never stop.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export function closeQueuedAnswers(server: Server): void {
  const queued = new WeakMap<Socket, Set<ServerResponse>>()
  const watch = ({ socket }: IncomingMessage, res: ServerResponse) => {
    // It has the connection, and hears of its end.
    if (res.socket !== null) return
    let answers = queued.get(socket)
    if (answers === undefined) {
      answers = new Set()
      queued.set(socket, answers)
      socket.once('close', closeAll.bind(undefined, answers))
    }
    answers.add(res)
    res.once('socket', () => answers.delete(res))
  }
  server.prependListener('request', watch).prependListener('checkContinue', watch)
}

function closeAll(answers: Set<ServerResponse>): void {
  for (const res of answers) {
    res.destroy()
    res.emit('close')
  }
}
