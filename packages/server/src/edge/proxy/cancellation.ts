// Cancels the work for an answer when the client goes away.
import type { ServerResponse } from 'node:http'

const clientLeft = new Error('The client went away.')

export class Cancellation {
  #isCancelled = false
  #actions: (() => void)[] = []
  #controller: AbortController | undefined

  /** Without `res` no client waits, so nothing is ever cancelled. */
  constructor(res?: ServerResponse) {
    res?.once('close', () => {
      // Not `writableFinished`: HTTP/2 sets that on aborted answers, too.
      if (!res.writableEnded) this.#cancel()
    })
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Created on first use, because most requests do not need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isCancelled) this.#controller.abort(clientLeft)
    return this.#controller.signal
  }

  whenCancelled(action: () => void): void {
    if (this.#isCancelled) action()
    else this.#actions.push(action)
  }

  /** From now on the work continues even if the client goes away, because other requests wait for its result. */
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
