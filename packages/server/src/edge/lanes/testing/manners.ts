// How a client of a differential test behaves, besides what it sends. Some use TLS, some send a few bytes at a time, some read late, and
// some end their side of the connection, or close it, before they have their answers.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Manner {
  isSecure: boolean
  /** The size of the pieces in which the client sends its bytes. */
  pieces: 'any' | 'tiny'
  /** Whether the client reads nothing until it has sent everything. */
  readsLate: boolean
  /** `half-closes`: ends its side after all its requests. `leaves`: resets the connection when it has sent a part of them. */
  ending: 'stays' | 'half-closes' | 'leaves'
}

/** The ordinary client. */
const plainManner: Manner = { isSecure: false, pieces: 'any', readsLate: false, ending: 'stays' }

/** Chooses a manner. Half of the clients are ordinary ones without TLS. */
export function mannerFrom(random: () => number): Manner {
  if (random() < 0.5) return plainManner
  const [secure, pieces, late, ending] = [random(), random(), random(), random()]
  return {
    isSecure: secure < 0.5,
    pieces: pieces < 0.2 ? 'tiny' : 'any',
    readsLate: late < 0.2,
    ending: ending < 0.25 ? 'half-closes' : ending < 0.5 ? 'leaves' : 'stays',
  }
}

export interface Dialled {
  socket: Socket
  /** Closes the connection with a reset. */
  reset(): void
}

export async function dial(port: number, isSecure: boolean, ALPNProtocols: string[] = []): Promise<Dialled> {
  const tcp = connect({ port, host: '127.0.0.1', noDelay: true })
  const socket = isSecure ? connectTls({ socket: tcp, rejectUnauthorized: false, ALPNProtocols }) : tcp
  await new Promise<void>((done, fail) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', done).once('error', fail)
  })
  return { socket, reset: () => void tcp.resetAndDestroy() }
}

/** Cuts `bytes` into the pieces in which the client sends them. */
export function* piecesOf(bytes: Buffer, pieces: Manner['pieces'], random: () => number): Generator<Buffer> {
  // Byte by byte at the beginning. The rest is longer.
  const most = pieces === 'tiny' ? 3 : bytes.length
  for (let at = 0; at < bytes.length; ) {
    const size = pieces === 'tiny' && at > 2_000 ? bytes.length : 1 + Math.floor(random() * random() * most)
    yield bytes.subarray(at, at + size)
    at += size
  }
}
