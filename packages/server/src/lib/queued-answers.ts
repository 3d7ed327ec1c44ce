// Emits `close` on the responses of pipelined requests when their connection closes. Node does so only for the response
// that is currently being sent. Without this, work for the queued ones would never be cancelled.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export function closeQueuedAnswers(server: Server): void {
  const queued = new WeakMap<Socket, Set<ServerResponse>>()
  const watch = ({ socket }: IncomingMessage, res: ServerResponse) => {
    // Node closes the response that currently has the connection.
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
