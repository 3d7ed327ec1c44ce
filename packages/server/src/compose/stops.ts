// What a start has begun, so that it can be stopped in reverse order, also when a later step of the start fails.

export interface StopOptions {
  /** Another svcd takes the place of this one, with the databases of the projects. */
  handsOver?: boolean
}

/** Connections without a request are closed after `idleMs`. */
type Stop = (idleMs: number, options: StopOptions) => unknown

export class Stops {
  readonly #stops: Stop[] = []

  /** It is stopped before all that were added earlier. */
  add(stop: Stop): void {
    this.#stops.push(stop)
  }

  /** It is stopped when all others are. */
  addLast(stop: Stop): void {
    this.#stops.unshift(stop)
  }

  readonly stopAll = async (idleMs = 0, options: StopOptions = {}): Promise<void> => {
    for (const stop of this.#stops.splice(0).reverse()) await stop(idleMs, options)
  }
}
