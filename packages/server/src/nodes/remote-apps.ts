// Connects to apps that run on other nodes.
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { secondMs } from '@svc/contract/durations'
import type { Connect } from '../core/base/apps.ts'
import type { Keyring } from '../lib/seal.ts'
import type { NodeDirectory } from './directory.ts'
import { connectSecurely } from './secure-link.ts'

/** The runner that is asked waits no longer for an app. */
const answerMs = 10 * secondMs

/** Connects to apps of this node with `toOwn`, and to those of others through their runner. */
export const connectAcrossNodes =
  (toOwn: Connect, directory: NodeDirectory, keyring: Keyring): Connect =>
  async address => {
    if (address.node === undefined) return await toOwn(address)
    const runner = await directory.runnerOf(address.node)
    if (!runner) throw new Error('the node that ran the app is gone')
    const { host, port } = address
    return await connectThrough(await connectSecurely(runner, keyring), `${bracketed(host)}:${port}`)
  }

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

function connectThrough(link: Socket, path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asked = request({ createConnection: () => link, method: 'CONNECT', path, timeout: answerMs })
    const fail = (error: Error) => {
      link.destroy()
      reject(error)
    }
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode !== 200) return fail(new Error('the app does not accept connections any more'))
      // An HTTP server sends nothing before the first request, so nothing follows the head of the answer.
      socket.setTimeout(0)
      resolve(socket)
    })
    asked.once('timeout', () => fail(new Error('the node that runs the app does not answer')))
    asked.once('error', fail).end()
  })
}
