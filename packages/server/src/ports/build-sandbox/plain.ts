// Builds as plain child processes, without a sandbox: for code that the operator trusts.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BuildCommand, type BuildExit, type BuildSandbox, environmentOf, thisMachine } from './port.ts'

const outputMs = 1_000
const pauseMs = 20

export class PlainBuilds implements BuildSandbox {
  readonly machine = thisMachine

  async check(): Promise<string> {
    return 'no sandbox'
  }

  async prepare(): Promise<void> {
    // Commands run as the platform's own user.
  }

  async close(): Promise<void> {
    // Every command has ended with its build.
  }

  /** The whole process group ends with it. */
  async run(command: BuildCommand, signal: AbortSignal): Promise<BuildExit> {
    signal.throwIfAborted()
    const child = spawn('/bin/sh', ['-c', command.line], {
      cwd: path.join(command.sourceDir, command.workDir),
      env: {
        PATH: [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
        ...environmentOf(command, command.homeDir),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // All of it has ended by itself.
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
    // What it wrote last is still on its way. A process that left the group may hold the pipes open.
    await Promise.race([closed, sleep(outputMs, undefined, { ref: false })])
    return { ...exit, outOfMemory: false }
  }
}
