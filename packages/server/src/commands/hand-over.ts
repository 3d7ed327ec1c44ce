// Passes the place of this svcd to a new one without a pause. The new one is started with the sockets of this one. It says so
// when it serves requests; then this one answers what it has begun, and ends.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import type { Predecessor, RunningPlatform } from '../compose.ts'
import { environmentWith, hasPredecessor, notifySocket } from '../config.ts'

type FromSuccessor = 'serving'

/** The svcd that started this process to take its place, if there is one. */
export function findPredecessor(): Predecessor | undefined {
  if (!hasPredecessor()) return undefined
  const gone = once(process, 'disconnect')
  return {
    async release() {
      const serving: FromSuccessor = 'serving'
      process.send?.(serving)
      await gone
    },
  }
}

/** Lets this process end although it has a predecessor, because it could not start. */
export function leavePredecessor(): void {
  if (hasPredecessor()) process.disconnect?.()
}

/** Starts the successor. Resolves when it serves requests. `undefined` if it could not, and this svcd stays. `signal` ends it. */
export async function startSuccessor(
  { sockets }: Pick<RunningPlatform, 'sockets'>,
  log: Logger,
  signal: AbortSignal,
): Promise<ChildProcess | undefined> {
  if (process.pid === 1) {
    log.error('this svcd cannot be replaced, because its container ends with it; restart the container')
    return undefined
  }
  const named = Object.entries(sockets ?? {}).flatMap(([name, socket]) => (socket ? [{ name, socket }] : []))
  const successor = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    signal,
    env: environmentWith(named.map(({ name }) => name)),
    stdio: ['inherit', 'inherit', 'inherit', ...named.map(({ socket }) => socket.fd), 'ipc'],
  })
  log.info({ pid: successor.pid }, 'started the svcd that is to replace this one')
  const serves = new Promise<boolean>(resolve => successor.once('message', () => resolve(true)))
  const ends = once(successor, 'exit').then(
    ([code, endedBy]) => {
      if (!signal.aborted)
        log.error(
          { code, signal: endedBy },
          'the new svcd could not start, so this one goes on; see its message',
        )
      return false
    },
    // The program was not found, or is not needed any more.
    err => {
      if (!signal.aborted) log.error({ err }, 'the new svcd could not be started, so this one goes on')
      return false
    },
  )
  if (!(await Promise.race([serves, ends]))) return undefined
  // Otherwise systemd takes the end of this process for the end of the service.
  if (notifySocket())
    await promisify(execFile)('systemd-notify', [`MAINPID=${successor.pid}`]).catch(err =>
      log.error({ err }, 'systemd could not be told of the new svcd'),
    )
  return successor
}
