// Runs as a process of its own in the network namespace of one app, outside of the app's sandbox. It opens connections
// to the app and hands them to svcd. It never reads from them or writes to them, so requests do not pass through it.
import { connect, type Socket } from 'node:net'
import type { FromConnector, ToConnector } from './messages.ts'

/** The timeout for each of two addresses. svcd waits longer than for both. */
const connectMs = 4_000

/** The addresses on which apps listen. The one that worked last comes first. */
let hosts = ['127.0.0.1', '::1']

process.on('message', async ({ id, port }: ToConnector) => {
  let error = ''
  for (const host of hosts)
    try {
      const socket = await open(host, port)
      hosts = [host, ...hosts.filter(other => other !== host)]
      return answer({ id }, socket)
    } catch (failure) {
      error = (failure as Error).message
    }
  answer({ id, error })
})

// svcd has ended, or no longer needs this namespace.
process.on('disconnect', () => process.exit())

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    // Do not read: svcd must receive every byte.
    socket.pause()
    const late = () => socket.destroy(new Error(`connect ETIMEDOUT ${host}:${port}`))
    socket.setTimeout(connectMs, late)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('timeout', late)
      resolve(socket)
    })
  })
}

function answer(message: FromConnector, socket?: Socket): void {
  // If sending fails, svcd has ended, and `disconnect` follows. So the error is ignored.
  process.send?.(message, socket, undefined, () => undefined)
}
