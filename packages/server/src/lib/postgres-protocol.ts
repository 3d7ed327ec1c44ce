// What a client of PostgreSQL says first, and how it is answered before its session begins (version 3 of the protocol). The client is
// signed in without a password: who it is was found out before.
import type { Duplex } from 'node:stream'

export type Hello =
  | { kind: 'start'; parameters: Record<string, string>; minorVersion: number }
  /** From a second connection: ends the query that a process of the server works on. */
  | { kind: 'cancel'; processId: number }

/** What PostgreSQL itself allows. */
const longestHello = 10_000
const cancelCode = 80_877_102

/** The connection says something else, or nothing. */
class NotPostgres extends Error {}

/** Reads the first message, and leaves what follows it in the stream. */
export async function readHello(bytes: Duplex, signal: AbortSignal): Promise<Hello> {
  const length = (await take(bytes, 4, signal)).readInt32BE()
  if (length < 8 || length > longestHello)
    throw new NotPostgres('The connection is not that of a client of PostgreSQL.')
  const message = await take(bytes, length - 4, signal)
  const code = message.readInt32BE()
  if (code === cancelCode && message.length >= 8) return { kind: 'cancel', processId: message.readInt32BE(4) }
  if (code >>> 16 !== 3)
    throw new NotPostgres('Only version 3 of the protocol is spoken here, without TLS inside.')
  return { kind: 'start', parameters: parametersOf(message.subarray(4)), minorVersion: code & 0xffff }
}

function parametersOf(text: Buffer): Record<string, string> {
  const words = text.toString().split('\0')
  const parameters: Record<string, string> = {}
  for (let at = 0; words[at]; at += 2) parameters[words[at]!] = words[at + 1] ?? ''
  return parameters
}

/** Reads so many bytes. The stream is not flowing afterwards. */
async function take(bytes: Duplex, count: number, signal: AbortSignal): Promise<Buffer> {
  for (;;) {
    const chunk = bytes.read(count) as Buffer | null
    if (chunk?.length === count) return chunk
    if (chunk || bytes.readableEnded || bytes.destroyed) throw new NotPostgres('The client has gone away.')
    await readable(bytes, signal)
  }
}

function readable(bytes: Duplex, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => done(() => reject(new NotPostgres('The client said nothing.')))
    const look = () => done(resolve)
    const done = (then: () => void) => {
      for (const event of ['readable', 'end', 'close']) bytes.off(event, look)
      signal.removeEventListener('abort', late)
      then()
    }
    for (const event of ['readable', 'end', 'close']) bytes.on(event, look)
    signal.addEventListener('abort', late)
    if (signal.aborted) late()
  })
}

export interface Session {
  processId: number
  /** What the server reported of the session, such as its time zone. */
  reports: Record<string, string>
}

/** The messages of a server that has let the client in. */
export function welcome({ parameters, minorVersion }: Hello & { kind: 'start' }, session: Session): Buffer {
  const unknown = Object.keys(parameters).filter(name => name.startsWith('_pq_.'))
  const isNewer = minorVersion > 0 || unknown.length > 0
  return Buffer.concat([
    ...(isNewer ? [message('v', int32(0), int32(unknown.length), ...unknown.map(text))] : []),
    message('R', int32(0)),
    ...Object.entries(session.reports).map(([name, value]) => message('S', text(name), text(value))),
    // svcd cancels by the number alone, so there is no secret to know.
    message('K', int32(session.processId), int32(0)),
    message('Z', Buffer.from('I')),
  ])
}

/** The message with which a server refuses a client. */
export const refusal = (code: string, words: string): Buffer =>
  message('E', ...[`SFATAL`, `VFATAL`, `C${code}`, `M${words}`, ''].map(text))

/**
 * The settings of a session that a client asks for, as its command-line options. Role and database are those of the connection, and
 * the encoding is UTF-8 until the client sets another one.
 */
export function optionsOf({ options, ...more }: Record<string, string>): string {
  const settings = Object.entries(more).filter(
    ([name]) => /^[A-Za-z][A-Za-z0-9_.]*$/.test(name) && !ownParameters.has(name),
  )
  return [options, ...settings.map(([name, value]) => `-c ${name}=${escaped(value)}`)]
    .filter(Boolean)
    .join(' ')
}

const ownParameters = new Set(['user', 'database', 'replication', 'client_encoding', 'application_name'])

const escaped = (value: string): string => value.replace(/[\\\s]/g, '\\$&')

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)
