// Wakes one who waits. A ring that comes before the wait is not lost: the wait then ends at once.
export class WakeSignal {
  #rung = false
  #wake: (() => void) | undefined

  wake(): void {
    this.#rung = true
    this.#wake?.()
  }

  /** Until it rings, or the time is over. */
  async wait(ms: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>(resolve => {
        this.#wake = resolve
        timer = setTimeout(resolve, ms)
      })
      clearTimeout(timer)
      this.#wake = undefined
    }
    this.#rung = false
  }
}
