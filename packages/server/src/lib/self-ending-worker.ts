// Node ends the whole process if a thread is terminated at the moment it opens a file, so every thread of svcd ends itself.
import { Worker } from 'node:worker_threads'
import { endYourself } from './worker-calls.ts'

/** How long a thread may take to end itself. */
const endsWithinMs = 10_000

/** Its thread ends itself when it gets `endYourself`, as `answerCalls` does. */
export class SelfEndingWorker extends Worker {
  readonly #ended = new Promise<number>(resolve => this.once('exit', resolve))

  override async terminate(): Promise<number> {
    this.postMessage(endYourself)
    const tooLate = setTimeout(() => super.terminate(), endsWithinMs).unref()
    return this.#ended.finally(() => clearTimeout(tooLate))
  }
}
