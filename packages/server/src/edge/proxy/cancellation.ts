// Cancels the work for an answer when the client goes away.
import type { ServerResponse } from 'node:http'

const clientLeft = new Error('The client went away.')

export class Cancellation {
  #isCancelled = false
  #actions: (() => void)[] = []
  #controller: AbortController | undefined

  /**
   * Cancels the work if `res` closes before its end. Without `res` the work is never cancelled, because no client
   * waits.
   */
  constructor(res?: ServerResponse) {
    res?.once('close', () => {
      // `writableFinished` does not work here: HTTP/2 sets it even if the answer was aborted.
      if (!res.writableEnded) this.#cancel()
    })
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Aborts when the work is cancelled. It is created on first use, because most requests do not need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isCancelled) this.#controller.abort(clientLeft)
    return this.#controller.signal
  }

  whenCancelled(action: () => void): void {
    if (this.#isCancelled) action()
    else this.#actions.push(action)
  }

  /** Lets the work continue even if the client goes away, because other requests wait for the result. */
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
