// Ends a call when the platform sends nothing for some time. A slow answer is fine: each byte starts the time again.

export class SilenceTimeout {
  readonly #ms: number
  readonly #controller = new AbortController()

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async during<T>(waiting: Promise<T>): Promise<T> {
    const seconds = Math.ceil(this.#ms / 1000)
    const timer = setTimeout(
      () => this.#controller.abort(new DOMException(`no answer in ${seconds} s`, 'TimeoutError')),
      this.#ms,
    )
    try {
      return await waiting
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the response with a guarded body. Time counts only while the reader waits for bytes. */
  guard(response: Response, mostBytes: number): Response {
    const reader = response.body?.getReader()
    // A response without a body needs no guard, and an opaque one cannot be rebuilt.
    if (!reader || response.status < 200) return response
    let bytes = 0
    const body = new ReadableStream<Uint8Array>({
      pull: async controller => {
        const { done, value } = await this.during(reader.read())
        if (done) return controller.close()
        bytes += value.length
        if (bytes > mostBytes) throw new Error('the answer is too long')
        controller.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    })
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}
