// A first-in, first-out queue. `Array.shift` moves all other items, which is slow in a long list.

/** Items that were taken are removed from the list when there are this many, and more than those that are left. */
const mostTaken = 256

export class Queue<T> {
  #items: T[] = []
  #taken = 0

  get length(): number {
    return this.#items.length - this.#taken
  }

  get first(): T | undefined {
    return this.#items[this.#taken]
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#taken]
    this.#items[this.#taken++] = undefined as T
    if (this.length === 0) this.clear()
    else if (this.#taken >= mostTaken && this.#taken > this.length) {
      this.#items = this.#items.slice(this.#taken)
      this.#taken = 0
    }
    return item
  }

  clear(): void {
    this.#items.length = 0
    this.#taken = 0
  }
}
