// Starts every program of svcd. Without a listener, the error of a process or of a pipe to it would end svcd.
import { ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Duplex, type Readable, type Writable } from 'node:stream'

/** Like `spawn`. A program that cannot start has the events `error` and `close`, but no `exit`, and its pipes are closed. */
export const startProgram = ((program: string, args: readonly string[], options: SpawnOptions) =>
  guarded(() => spawn(program, args, options), options)) as typeof spawn

/** Like `fork`. */
export const startModule = ((module: string, args: readonly string[], options: SpawnOptions) =>
  guarded(() => fork(module, args, options as object), options)) as typeof fork

/** Resolves with the exit code when the output has ended, too. Rejects if the program could not start. Call it at once. */
export function endOf(child: ChildProcess): Promise<number | null> {
  const ended = once(child, 'close').then(([code]) => code as number | null)
  // The caller may still read the output.
  ended.catch(() => undefined)
  return ended
}

/**
 * Writes the output of the program to `to`, which fails if the program fails, so that nobody takes a part of the output for all of
 * it. The program ends with `to`. Call it at once.
 */
export function passOutput<To extends Writable>(
  { name, child }: { name: string; child: ChildProcess & { stdout: Readable } },
  to: To,
): To {
  child.stdout.pipe(to, { end: false })
  endOf(child).then(
    code => {
      if (code === 0) to.end()
      else to.destroy(new Error(`${name} ended with code ${code}`))
    },
    error => to.destroy(error),
  )
  to.once('close', () => child.kill('SIGKILL'))
  // The program may fail before `to` has a reader. A later reader finds the error in `errored`.
  to.on('error', () => undefined)
  return to
}

function guarded(start: () => ChildProcess, { stdio = 'pipe' }: SpawnOptions): ChildProcess {
  const child = startOrFail(start)
  child.on('error', () => undefined)
  // Node makes no pipes if the system has no file descriptor for them.
  if (child.stdio === undefined) closePipes(child, Array.isArray(stdio) ? stdio : [stdio, stdio, stdio])
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  return child
}

/** For some errors of the system, such as a lack of memory, Node throws. */
function startOrFail(start: () => ChildProcess): ChildProcess {
  try {
    return start()
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).syscall?.startsWith('spawn')) throw error
    const child = new ChildProcess()
    process.nextTick(() => {
      child.emit('error', error)
      child.emit('close', null, null)
    })
    return child
  }
}

function closePipes(child: ChildProcess, stdio: readonly unknown[]): void {
  const pipes = stdio.map(kind => (kind === 'pipe' ? new ClosedPipe({ allowHalfOpen: false }) : null))
  const [stdin = null, stdout = null, stderr = null] = pipes
  Object.assign(child, { stdio: pipes, stdin, stdout, stderr })
}

class ClosedPipe extends Duplex {
  override _read(): void {
    this.push(null)
  }

  override _write(_chunk: unknown, _encoding: string, done: (error: Error) => void): void {
    done(new Error('The program could not start.'))
  }
}
