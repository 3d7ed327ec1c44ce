// Runs as a process of its own in the network namespace of one app, outside of the app's sandbox. It opens connections
// to the app and hands them to svcd. It never reads or writes one, so that requests cost nothing here.
import { connect, type Socket } from 'node:net'
import type { FromConnector, ToConnector } from './messages.ts'

/** For each of two addresses; svcd waits longer than for both. */
const connectMs = 4_000

/** Where apps listen; the address that worked last comes first. */
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

// svcd has ended, or needs this namespace no more.
process.on('disconnect', () => process.exit())

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    // Nothing is read here: the first byte is for svcd.
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
  // A message that cannot be sent has nobody to receive it: `disconnect` follows.
  process.send?.(message, socket, undefined, () => undefined)
}
