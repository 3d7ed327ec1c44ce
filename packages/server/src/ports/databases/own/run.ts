// Runs a program of PostgreSQL to its end.
import path from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endOf, startProgram } from '../../../lib/start-program.ts'
import { type Launcher, passwdFd, passwdFor } from './launch.ts'

interface Streams {
  input?: Readable
  /** It is left open: that of a program that fails must not look complete. */
  output?: Writable
  env?: Record<string, string>
  signal?: AbortSignal
}

/** A program ended with an error. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed'
  readonly said: string
  constructor(program: string, code: number | null, said: string) {
    super(`${program} ended with code ${code}: ${said}`)
    this.said = said
  }
}

/** Rejects with the last words of the program if it fails. */
export async function run(
  launcher: Launcher,
  command: readonly string[],
  streams: Streams = {},
): Promise<void> {
  const { input = Readable.from([]), output, env, signal } = streams
  const [program, ...args] = launcher.around(command)
  const child = startProgram(program, args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(signal && { signal }),
  })
  const ended = endOf(child)
  ;(child.stdio[passwdFd] as Writable).end(passwdFor(launcher.user))
  // If the program ends before it reads everything, its exit code says why.
  const sent = pipeline(input, child.stdin as Writable).catch((error: Error) => error)
  let said = ''
  const note = (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000)
  }
  child.stderr?.on('data', note)
  if (!output) child.stdout?.on('data', note)
  const received = output && pipeline(child.stdout as Readable, output, { end: false })
  received?.catch(() => child.kill('SIGKILL'))
  const code = await ended
  const problem = await sent
  await received
  if (code !== 0) throw new ProgramFailed(path.basename(command[0] ?? ''), code, said.trim())
  if (problem) throw problem
}
