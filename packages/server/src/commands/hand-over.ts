// Passes the place of this svcd to a new one without a pause. The new one is started with the sockets of this one. It says so
// when it serves requests; then this one answers what it has begun, stays until the new one is healthy, and ends.
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import type { Predecessor, RunningPlatform } from '../compose.ts'
import { environmentWith, hasPredecessor, notifySocket } from '../config.ts'
import { startProgram } from '../lib/start-program.ts'
import { currentProgram } from './upgrade/versions.ts'

/** `migrating`: it waits for the end of this svcd before it changes the database. It serves requests only after that. */
type FromSuccessor = 'serving' | 'migrating'

export interface Successor {
  child: ChildProcess
  migrates: boolean
}

/** The svcd that started this process to take its place, if there is one. */
export function findPredecessor(): Predecessor | undefined {
  if (!hasPredecessor()) return undefined
  const gone = once(process, 'disconnect')
  return {
    async release(because: FromSuccessor) {
      process.send?.(because)
      await gone
    },
  }
}

/** Lets this process end although it has a predecessor, because it could not start. */
export function leavePredecessor(): void {
  if (hasPredecessor()) process.disconnect?.()
}

/**
 * Starts the successor. Resolves when it needs the place of this svcd. `undefined` if it ended before or took longer than
 * `withinMs`, and this svcd stays. `signal` ends it.
 */
export async function startSuccessor(
  { sockets }: Pick<RunningPlatform, 'sockets'>,
  log: Logger,
  { signal, withinMs }: { signal: AbortSignal; withinMs: number },
): Promise<Successor | undefined> {
  if (process.pid === 1) {
    log.error('this svcd cannot be replaced, because its container ends with it; restart the container')
    return undefined
  }
  const named = namedSockets(sockets)
  const [, ownProgram = '', ...args] = process.argv
  const program = currentProgram() ?? ownProgram
  const child = startProgram(process.execPath, [...process.execArgv, program, ...args], {
    ...{ signal, killSignal: 'SIGKILL' },
    env: environmentWith(named.map(({ name }) => name)),
    stdio: ['inherit', 'inherit', 'inherit', ...named.map(({ fd }) => fd), 'ipc'],
  })
  log.info({ pid: child.pid }, 'started the svcd that is to replace this one')
  const timer = setTimeout(() => {
    log.error({ seconds: withinMs / 1000 }, 'the new svcd takes too long to start, and is ended')
    child.kill('SIGKILL')
  }, withinMs)
  let hasAsked = false
  const asks = new Promise<FromSuccessor>(resolve => {
    child.once('message', (because: FromSuccessor) => {
      hasAsked = true
      resolve(because)
    })
  })
  const ends = once(child, 'exit').then(
    ([code, endedBy]) => {
      if (!hasAsked && !signal.aborted)
        log.error(
          { code, signal: endedBy },
          'the new svcd could not start, so this one goes on; see its message',
        )
      return undefined
    },
    // The program was not found, or is not needed any more.
    err => {
      if (!hasAsked && !signal.aborted)
        log.error({ err }, 'the new svcd could not be started, so this one goes on')
      return undefined
    },
  )
  const asked = await Promise.race([asks, ends])
  clearTimeout(timer)
  return asked && { child, migrates: asked === 'migrating' }
}

/** The sockets of the listener, in the order in which another process gets them. */
export const namedSockets = (sockets: RunningPlatform['sockets']): { name: string; fd: number }[] =>
  Object.entries(sockets ?? {}).flatMap(([name, socket]) => (socket ? [{ name, fd: socket.fd }] : []))

/** Otherwise systemd takes the end of this process for the end of the service. */
export async function tellSystemdOf({ pid }: ChildProcess, log: Logger): Promise<void> {
  if (notifySocket())
    await promisify(execFile)('systemd-notify', [`MAINPID=${pid}`]).catch(err =>
      log.error({ err }, 'systemd could not be told of the new svcd'),
    )
}
