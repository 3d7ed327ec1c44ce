// Ends the work for an answer when the client who waits for it goes away.
import type { ServerResponse } from 'node:http'

const clientLeft = new Error('The client went away.')

export class Cancellation {
  #isCancelled = false
  #actions: (() => void)[] = []
  #controller: AbortController | undefined

  /** Without `res` nobody waits, and nothing is ever cancelled. */
  constructor(res?: ServerResponse) {
    res?.once('close', () => {
      // Not `writableFinished`: HTTP/2 sets that on every answer that is over, whole or not.
      if (!res.writableEnded) this.#cancel()
    })
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Made when it is asked for, since most answers wait for nothing. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isCancelled) this.#controller.abort(clientLeft)
    return this.#controller.signal
  }

  whenCancelled(action: () => void): void {
    if (this.#isCancelled) action()
    else this.#actions.push(action)
  }

  /** From now on the work goes on without the client: others wait for its result too. */
  detach(): void {
    this.#actions = []
    this.#cancel = () => undefined
  }

  #cancel = (): void => {
    this.#isCancelled = true
    this.#controller?.abort(clientLeft)
    for (const action of this.#actions) action()
  }
}
