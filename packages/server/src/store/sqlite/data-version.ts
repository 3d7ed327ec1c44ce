// Tells whether something was written to the database, by this process or by another one.
import type { Connection } from './open.ts'

export class DataVersion {
  readonly #read: () => number
  #known: number | undefined

  constructor(reader: Connection) {
    const version = reader.prepare('pragma data_version')
    this.#read = () => version.get()?.data_version as number
  }

  /**
   * A number that changes whenever another connection than the reader has committed. Requests that came together, in one turn of
   * the event loop, share one look at the file.
   */
  readonly current = (): number => {
    if (this.#known === undefined) {
      this.#known = this.#read()
      setImmediate(this.lookAgain)
    }
    return this.#known
  }

  /** To be called when this process has written: the next call of `current` looks at the file. */
  readonly lookAgain = (): void => {
    this.#known = undefined
  }
}
