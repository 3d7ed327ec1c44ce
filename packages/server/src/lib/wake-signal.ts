// Wakes a waiting task. A `wake` before `wait` is not lost: the next `wait` returns at once.
export class WakeSignal {
  #isWoken = false
  #wake: (() => void) | undefined

  wake(): void {
    this.#isWoken = true
    this.#wake?.()
  }

  /** Resolves on `wake`, or after `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>(resolve => {
        this.#wake = resolve
        timer = setTimeout(resolve, ms)
      })
      clearTimeout(timer)
      this.#wake = undefined
    }
    this.#isWoken = false
  }
}
