// Finds out that a client takes nothing of what waits for it.

/** A client is stuck if it has taken nothing in more than this many checks in a row. */
const mostChecks = 2

export class StuckCheck {
  #before = 0
  #checks = 0

  /** To be called at intervals. `waiting` is a number that changes whenever the client takes something, and 0 if nothing waits. */
  isStuck(waiting: number): boolean {
    this.#checks = waiting > 0 && waiting === this.#before ? this.#checks + 1 : 0
    this.#before = waiting
    return this.#checks > mostChecks
  }
}
