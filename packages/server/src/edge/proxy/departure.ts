// Whether whoever waits for an answer went away before it was whole.
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'

const left = new Error('The visitor went away.')

/** Whether it is over already, so that no event will tell. An answer of HTTP/2 is over when its stream is. */
export const hasLeft = (res: ServerResponse): boolean =>
  res.destroyed || ((res as unknown as Http2ServerResponse).stream?.destroyed ?? false)

export class Departure {
  #isGone = false
  #acts: (() => void)[] = []
  #controller: AbortController | undefined

  /** Nobody waits, or somebody waits for `res`. */
  constructor(res?: ServerResponse) {
    res?.once('close', () => {
      // Not by whether it was sent: HTTP/2 calls everything sent that is over.
      if (!res.writableEnded) this.#leave()
    })
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** For waits that can be given up; made when it is asked for, since most answers wait for nothing. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isGone) this.#controller.abort(left)
    return this.#controller.signal
  }

  whenGone(act: () => void): void {
    if (this.#isGone) act()
    else this.#acts.push(act)
  }

  /** From now on it makes no difference: others wait as well. */
  ignore(): void {
    this.#acts = []
    this.#leave = () => undefined
  }

  #leave = (): void => {
    this.#isGone = true
    this.#controller?.abort(left)
    for (const act of this.#acts) act()
  }
}
