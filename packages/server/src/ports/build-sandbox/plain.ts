// Runs builds as plain child processes, without a sandbox, if the operator trusts the code.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from '../../lib/start-program.ts'
import { type BuildCommand, type BuildExit, type BuildSandbox, environmentOf, thisMachine } from './port.ts'

const outputMs = 1_000
const pauseMs = 20

export class PlainBuilds implements BuildSandbox {
  readonly machine = thisMachine
  /** The PATH of commands that get this version of Node. */
  readonly #pathWith: (node: string | undefined) => string

  constructor(pathWith: (node: string | undefined) => string) {
    this.#pathWith = pathWith
  }

  async check(): Promise<string> {
    return 'no sandbox'
  }

  async prepare(): Promise<void> {
    // Commands run as svcd's own user, so the files need no other owner.
  }

  async close(): Promise<void> {
    // There is nothing to close: every command has ended with its build.
  }

  /** Also ends the other processes of the command's process group when the command ends. */
  async run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit> {
    signal.throwIfAborted()
    const child = startProgram('/bin/sh', ['-c', command.line], {
      cwd: path.join(command.sourceDir, command.workDir),
      env: {
        PATH: this.#pathWith(command.node),
        ...environmentOf(command, command.homeDir),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // All processes of the group have ended.
      }
    }
    signal.addEventListener('abort', end)
    const closed = new Promise(resolve => child.once('close', resolve))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        if (command.output(chunk)) return
        stream.pause()
        setTimeout(() => stream.resume(), pauseMs)
      })
    const exit = await new Promise<Omit<BuildExit, 'outOfMemory'>>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, by) => resolve({ code, signal: by }))
    })
    signal.removeEventListener('abort', end)
    end()
    // Wait for the rest of the output, but not for long: a process that left the group may keep the pipes open.
    await Promise.race([closed, sleep(outputMs, undefined, { ref: false })])
    return { ...exit, outOfMemory: false }
  }
}
