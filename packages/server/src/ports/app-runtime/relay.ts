// The way to apps for an edge that runs as a program of its own beside the runner: the runner passes bytes on between a
// socket in the data directory, which nobody but svcd can open, and the app.
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import type { Address } from './port.ts'

type Connect = (address: Address) => Promise<Socket>

/** Of the line that names the app, and how long it may take. */
const longestLine = 200
const lineMs = 5_000

/** Returns the function that stops it. */
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
      client.write('ok\n')
      join(client, app)
      join(app, client)
    } catch (error) {
      client.end(`${(error as Error).message.slice(0, longestLine)}\n`)
    }
  })
  // Left by a process that was killed; the runner is alone in its data directory.
  rmSync(socketFile, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketFile, resolve))
  return async () => {
    for (const client of open) client.destroy()
    await new Promise(resolve => server.close(resolve))
  }
}

/** Connects by way of the runner's socket. */
export const connectByRelay =
  (socketFile: string): Connect =>
  async ({ host, port }) => {
    const socket = connect(socketFile)
    socket.write(`${host} ${port}\n`)
    // An app does not speak before it is asked, so nothing follows the line.
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

/** What breaks on one side breaks on the other; an end is passed on. */
function join(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()))
}
