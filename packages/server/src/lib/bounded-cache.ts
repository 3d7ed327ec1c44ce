// A cache with a limit on the total weight of its entries. It approximates LRU with two generations: a hit moves no entry
// within a list, and eviction drops a whole generation in one assignment.

export class BoundedCache<V extends { readonly weight: number }> {
  readonly #share: number
  #young = new Map<string, V>()
  #old = new Map<string, V>()
  #youngWeight = 0
  #oldWeight = 0

  /** Both generations together never weigh more than `budget`. */
  constructor(budget: number) {
    this.#share = budget / 2
  }

  get weight(): number {
    return this.#youngWeight + this.#oldWeight
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: V): void {
    if (value.weight > this.#share) return
    this.delete(key)
    if (this.#youngWeight + value.weight > this.#share) {
      this.#old = this.#young
      this.#oldWeight = this.#youngWeight
      this.#young = new Map()
      this.#youngWeight = 0
    }
    this.#young.set(key, value)
    this.#youngWeight += value.weight
  }

  delete(key: string): void {
    const young = this.#young.get(key)
    if (young !== undefined && this.#young.delete(key)) this.#youngWeight -= young.weight
    const old = this.#old.get(key)
    if (old !== undefined && this.#old.delete(key)) this.#oldWeight -= old.weight
  }

  *keys(): Generator<string> {
    yield* this.#young.keys()
    yield* this.#old.keys()
  }

  *values(): Generator<V> {
    yield* this.#young.values()
    yield* this.#old.values()
  }
}
