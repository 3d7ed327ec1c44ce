// A worker's side of the talk with the main process.
import type { Change } from '../ports/changes/port.ts'
import type { FromMain, FromWorker } from './messages.ts'

export interface MainLink {
  /** Where the main process takes what is not for a site. */
  readonly socketFile: string
  listening(port: number, tlsPort: number | undefined): void
  /** The main process tells all other workers. */
  tell(changes: Change[]): void
  /** It dropped that many stored answers when it heard of the change of this key. */
  evicted(key: string, count: number): void
  /** Called for what others committed; only then do they go on. */
  onHear(forget: (changes: Change[]) => void): void
}

export function linkToMain(
  socketFile: string,
  onStop: () => void,
): MainLink & { say(message: FromWorker): void } {
  let forget: (changes: Change[]) => void = () => undefined
  const say = (message: FromWorker) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }
  process.on('message', (message: FromMain) => {
    if (message.kind === 'stop') return onStop()
    forget(message.changes)
    say({ kind: 'heard', number: message.number })
  })
  return {
    socketFile,
    say,
    listening: (port, tlsPort) => say({ kind: 'listening', port, tlsPort }),
    tell: changes => say({ kind: 'told', changes }),
    evicted: (key, count) => say({ kind: 'evicted', key, count }),
    onHear: listener => {
      forget = listener
    },
  }
}
