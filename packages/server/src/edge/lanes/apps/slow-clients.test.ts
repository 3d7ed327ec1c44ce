// A client that reads slowly, while the app has stopped.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { LentConnection } from '../../proxy/lent-connection.ts'
import type { AppAnswer, AppTarget } from '../sources.ts'
import { transports } from '../testing/pairs.ts'
import { AppRequest } from './app-request.ts'
import { Http1Client } from './http1-client.ts'
import { RepeatedAnswerHead } from './repeated-answer-head.ts'

const openTcp = transports[0]![1]

test('an app that stopped while it waited for a slow client is cut off when the client has read all', async () => {
  const [app, visitor] = [await openTcp(), await openTcp()]
  const timeouts = { answer: 600_000, idle: 600_000 }
  const connection = new LentConnection(app.socket, {
    timeouts,
    onLeave: () => undefined,
    onKeep: () => undefined,
  })
  const answers: AppAnswer[] = []
  const target: Partial<AppTarget> = {
    connection,
    head: 'GET / HTTP/1.1\r\n\r\n',
    deploymentId: 'dep_1',
    compressionOf: () => undefined,
  }
  const request = new AppRequest(target as AppTarget, {
    client: new Http1Client({ socket: visitor.socket, isSecure: false, connectionFields: () => '' }),
    isHead: false,
    repeated: new RepeatedAnswerHead(),
    onAnswered: answer => answers.push(answer),
    onHandOver: () => expect.unreachable(),
  })
  request.send(Buffer.alloc(0))
  app.client.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
  const piece = Buffer.alloc(16 * 1024)
  while (!app.socket.isPaused()) {
    const read = app.socket.bytesRead
    app.client.write(piece)
    while (app.socket.bytesRead === read && !app.socket.isPaused()) await new Promise(setImmediate)
  }
  timeouts.idle = 50
  app.socket.setTimeout(timeouts.idle)
  await once(app.socket, 'timeout')
  expect(answers).toEqual([])
  visitor.client.resume()
  await eventually(() => answers.length === 1)
  expect(visitor.socket.destroyed).toBe(true)
})
