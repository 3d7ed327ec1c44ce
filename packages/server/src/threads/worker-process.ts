// A process that is called like a worker thread. All the memory that it took goes back to the system when it ends. Memory that a
// thread frees stays with svcd, as long as anything beside it is in use.
import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startModule } from '../lib/start-program.ts'
import type { Callee } from '../lib/worker-calls.ts'

export class WorkerProcess extends EventEmitter implements Callee {
  readonly #child: ChildProcess

  /** `entry` is a compiled module that calls `answerProcessRequests`. */
  constructor(entry: URL) {
    super()
    this.#child = startModule(fileURLToPath(entry), [], {
      // A debugger of svcd has its port already.
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', message => this.emit('message', message))
    this.#child.on('error', error => this.emit('error', error))
    this.#child.on('exit', (code, signal) =>
      this.emit('error', new Error(`The process ended with ${code === null ? signal : `code ${code}`}`)),
    )
  }

  postMessage(message: unknown): void {
    // Ignore a message that cannot be sent: the process has ended, and its `exit` or `error` event is already reported.
    if (this.#child.connected) this.#child.send(message as object, () => undefined)
  }

  async terminate(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child
    if (exitCode !== null || signalCode !== null || pid === undefined) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
