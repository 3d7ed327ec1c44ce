// A worker's side of the talk with the main process.
import type { Socket } from 'node:net'
import type { Connect } from '../core/apps/apps.ts'
import type { Change } from '../ports/changes/port.ts'
import type { FromMain, FromWorker } from './messages.ts'

export interface MainLink {
  /** Where the main process takes what is not for a site. */
  readonly socketFile: string
  listening(port: number, tlsPort: number | undefined): void
  /** The main process tells all other workers. */
  broadcast(changes: Change[]): void
  /** It dropped that many stored answers when it heard of the change of this key. */
  evicted(key: string, count: number): void
  /** A connection to an app, which the main process opens. */
  connect: Connect
  /** Called for what others committed; only then do they go on. */
  onChanges(forget: (changes: Change[]) => void): void
}

export function linkToMain(
  socketFile: string,
  onStop: () => void,
): MainLink & { send(message: FromWorker): void } {
  let forget: (changes: Change[]) => void = () => undefined
  const send = (message: FromWorker) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }
  const waiting = new Map<number, (error: string | undefined, socket: Socket | undefined) => void>()
  let lastId = 0
  process.on('message', (message: FromMain, socket: Socket | undefined) => {
    if (message.kind === 'stop') return onStop()
    if (message.kind === 'connected') return waiting.get(message.id)?.(message.error, socket)
    forget(message.changes)
    send({ kind: 'acknowledged', number: message.number })
  })
  return {
    socketFile,
    send,
    listening: (port, tlsPort) => send({ kind: 'listening', port, tlsPort }),
    broadcast: changes => send({ kind: 'changed', changes }),
    evicted: (key, count) => send({ kind: 'evicted', key, count }),
    connect: address =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, (error, socket) => {
          waiting.delete(id)
          if (socket) resolve(socket)
          else reject(new Error(error ?? 'The app closed the connection.'))
        })
        send({ kind: 'connect', id, address })
      }),
    onChanges: listener => {
      forget = listener
    },
  }
}
