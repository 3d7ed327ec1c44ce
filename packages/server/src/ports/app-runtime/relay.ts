// Connects an edge that is a separate process to the apps of a runner on the same machine. The runner listens on a Unix socket
// in the data directory, which only svcd can open, and passes the bytes on to the app and back.
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import type { Address } from './port.ts'

type Connect = (address: Address) => Promise<Socket>

/** The limits of the first line, which names the app: its length and the time until it is complete. */
const longestLine = 200
const lineMs = 5_000

/** Listens on the socket and passes connections on. Returns the function that stops it. */
export async function relayConnections(
  socketFile: string,
  connectToApp: Connect,
): Promise<() => Promise<void>> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, async client => {
    open.add(client)
    client.on('error', () => client.destroy()).once('close', () => open.delete(client))
    try {
      const [host = '', port] = (await readLine(client)).split(' ')
      const app = await connectToApp({ host, port: Number(port) })
      // The client may have closed meanwhile. Nothing would close the app's socket later.
      if (client.destroyed) return void app.on('error', () => undefined).destroy()
      client.write('ok\n')
      join(client, app)
      join(app, client)
    } catch (error) {
      client.end(`${(error as Error).message.slice(0, longestLine)}\n`)
    }
  })
  // A killed runner leaves its socket file behind. No other runner uses this data directory, so the file can be removed.
  rmSync(socketFile, { force: true })
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(socketFile, resolve))
  return async () => {
    for (const client of open) client.destroy()
    await new Promise(resolve => server.close(resolve))
  }
}

/** Connects to apps through the socket of the runner. */
export const connectByRelay =
  (socketFile: string): Connect =>
  async ({ host, port }) => {
    const socket = connect(socketFile)
    socket.write(`${host} ${port}\n`)
    // An HTTP server sends nothing before the first request, so nothing follows this line.
    const answer = await readLine(socket)
    if (answer === 'ok') return socket
    socket.destroy()
    throw new Error(answer)
  }

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const fail = () => {
      socket.destroy()
      reject(new Error('the runner of the apps does not answer'))
    }
    const timer = setTimeout(fail, lineMs)
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!text.endsWith('\n') && text.length < longestLine) return
      clearTimeout(timer)
      socket.off('data', take).off('end', fail).off('error', fail)
      resolve(text.trimEnd())
    }
    socket.on('data', take).once('end', fail).once('error', fail)
  })
}

/** Passes bytes, the end and errors on from one socket to the other. */
function join(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()))
}
