// The link of an edge worker to the main process.
import type { Socket } from 'node:net'
import type { Connect } from '../core/base/apps.ts'
import type { Counts } from '../core/base/request-counts.ts'
import type { Change } from '../ports/changes/port.ts'
import type { FromMain, FromWorker } from './messages.ts'

export interface MainLink {
  /** The main process accepts relayed requests on this unix socket. */
  readonly socketFile: string
  listening(): void
  /** The main process passes the changes on to all other workers. */
  broadcast(changes: Change[]): void
  /** Reports how many cache entries this worker dropped because of a change. */
  evicted(key: string, count: number): void
  /** Reports what this worker has answered since its start. */
  counted(counts: Counts): void
  /** Asks the main process to open a connection to an app. */
  connect: Connect
  /** `forget` is called with changes that other processes committed. They wait until it returns. */
  onChanges(forget: (changes: Change[]) => void): void
}

export function linkToMain(
  socketFile: string,
  onStop: (idleMs: number) => void,
): MainLink & { send(message: FromWorker): void } {
  let forget: (changes: Change[]) => void = () => undefined
  const send = (message: FromWorker) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }
  const waiting = new Map<number, (error: string | undefined, socket: Socket | undefined) => void>()
  let lastId = 0
  process.on('message', (message: FromMain, socket: Socket | undefined) => {
    if (message.kind === 'stop') return onStop(message.idleMs)
    if (message.kind === 'connected') return waiting.get(message.id)?.(message.error, socket)
    forget(message.changes)
    send({ kind: 'acknowledged', number: message.number })
  })
  return {
    socketFile,
    send,
    listening: () => send({ kind: 'listening' }),
    broadcast: changes => send({ kind: 'changed', changes }),
    evicted: (key, count) => send({ kind: 'evicted', key, count }),
    counted: counts => send({ kind: 'counted', counts }),
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
