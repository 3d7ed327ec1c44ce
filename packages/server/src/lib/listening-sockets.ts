// Listening sockets that several processes may have: a process passes them by number to those that it starts. As long as one
// process has a socket, the system accepts connections on it, and they wait until a process takes them.
import { lookup } from 'node:dns/promises'
import * as net from 'node:net'
import { getSystemErrorName } from 'node:util'

export interface ListeningSocket {
  /** Its number in this process. */
  readonly fd: number
  readonly host: string
  readonly port: number
  /** Whether another process opened it. Then that process may still take connections from it. */
  readonly isInherited: boolean
  /** Lets a server take connections from it. The server closes it. */
  listen(server: net.Server): Promise<void>
  /** Closes it, if no server listens on it. */
  close(): void
}

/** How many connections may wait. The system limits it further (`net.core.somaxconn`). */
const backlog = 4096

/** What node:net makes for a server: its own class, or the number of an error. */
interface Handle {
  readonly fd: number
  getsockname(into: { address?: string; port?: number }): number
  close(): void
}
type CreateHandle = (
  address: string | null,
  port: number | null,
  family: 4 | 6 | null,
  fd?: number,
) => Handle | number

/** Node has no public function that binds a socket without taking connections from it. */
const createHandle: CreateHandle = (...args) => {
  const create = (net as unknown as { _createServerHandle?: CreateHandle })._createServerHandle
  if (create) return create(...args)
  throw new Error(
    `Node.js ${process.version} lacks net._createServerHandle, which svcd needs to open its sockets. Use another version of Node.js, such as 22, and report this.`,
  )
}

export async function bindSocket(host: string, port: number): Promise<ListeningSocket> {
  const { address, family } = await lookup(host)
  const handle = createHandle(address, port, family as 4 | 6)
  if (typeof handle === 'number') throw bindFault(getSystemErrorName(handle), host, port)
  const socket = socketOf(handle, false)
  if (socket.port !== 0) return socket
  // Node reports this one only when a server listens, which may happen in another process.
  handle.close()
  throw bindFault('EADDRINUSE', host, port)
}

/** A socket that this process was started with. */
export function inheritedSocket(fd: number): ListeningSocket {
  const handle = createHandle(null, null, null, fd)
  if (typeof handle === 'number')
    throw new Error(`The inherited file ${fd} is not a socket (${getSystemErrorName(handle)}).`)
  return socketOf(handle, true)
}

function socketOf(handle: Handle, isInherited: boolean): ListeningSocket {
  const name: { address?: string; port?: number } = {}
  handle.getsockname(name)
  let isOpen = true
  return {
    fd: handle.fd,
    host: name.address ?? '',
    port: name.port ?? 0,
    isInherited,
    listen: server =>
      new Promise((resolve, reject) => {
        isOpen = false
        // Later errors concern connections that the system could not accept. Without a listener, they would end svcd.
        server.on('error', reject)
        server.listen(handle, backlog, resolve)
      }),
    close() {
      if (isOpen) handle.close()
      isOpen = false
    },
  }
}

const bindFault = (code: string, host: string, port: number): Error =>
  Object.assign(new Error(`listen ${code}: ${host}:${port}`), { code, syscall: 'listen', port })
