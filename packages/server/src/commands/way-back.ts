// The way back if a new svcd fails after it has taken the place of this one: a shell that keeps the listening sockets, so that
// connections wait, and that becomes a svcd of this version when it is told to.
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { RunningPlatform } from '../compose.ts'
import { environmentWith } from '../config.ts'
import { startProgram } from '../lib/start-program.ts'
import { programFile } from '../program-files.ts'
import { namedSockets } from './hand-over.ts'

export interface WayBack {
  /** Starts svcd again, with the files of this version. */
  take(): ChildProcess
  /** Not needed any more. */
  close(): void
}

/** The variable says that systemd has opened the sockets for this process, which keeps its number. */
const script = 'read -r go && LISTEN_PID=$$ exec "$@" < /dev/null'

/** `sockets` must be open. `args` are those of `svcd start`. */
export function keepWayBack(sockets: RunningPlatform['sockets'], args: readonly string[]): WayBack {
  const named = namedSockets(sockets)
  // The path that this svcd was started with may lead to another version by now.
  const program = fileURLToPath(programFile('../bin/svcd.js'))
  const command = [process.execPath, ...process.execArgv, program, 'start', ...args]
  const shell = startProgram('/bin/sh', ['-c', script, 'sh', ...command], {
    env: environmentWith(named.map(({ name }) => name)),
    stdio: ['pipe', 'inherit', 'inherit', ...named.map(({ fd }) => fd)],
  })
  // Without a shell there is no way back, and `take` returns a process that has not started.
  shell.unref()
  return {
    take() {
      shell.stdin?.end('go\n')
      return shell
    },
    close: () => void shell.stdin?.end(),
  }
}
