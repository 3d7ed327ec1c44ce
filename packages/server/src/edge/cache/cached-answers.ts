// The answers that are kept: within a bound of memory, those that were used lately, found by place and Vary.
import type { IncomingHttpHeaders } from 'node:http'
import type { CachedAnswer, Place } from './cached-answer.ts'

/** Anyone can send any header: of one address only so many variants are kept. */
const variantsAtMost = 16

export class CachedAnswers {
  readonly #budget: number
  /** In the order of their last use. */
  readonly #byKey = new Map<string, CachedAnswer[]>()
  readonly #keysOfPath = new Map<string, Set<string>>()
  #weight = 0
  #evictions = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  get weight(): number {
    return this.#weight
  }

  /** Moves with every eviction: what was asked for before one is not kept after it. */
  get evictions(): number {
    return this.#evictions
  }

  find(key: string, headers: IncomingHttpHeaders): CachedAnswer | undefined {
    const variants = this.#byKey.get(key)
    if (variants === undefined) return undefined
    this.#byKey.delete(key)
    this.#byKey.set(key, variants)
    return variants.find(answer => answer.answers(headers))
  }

  /** In place of the variant that answered the same. */
  put(answer: CachedAnswer, headers: IncomingHttpHeaders): void {
    const { place, weight } = answer
    if (weight > this.#budget) return
    const others = (this.#byKey.get(place.key) ?? []).filter(other => !other.answers(headers))
    this.#remove(place)
    const kept = [answer, ...others].slice(0, variantsAtMost)
    this.#byKey.set(place.key, kept)
    const path = pathKey(place.projectId, place.path)
    const keys = this.#keysOfPath.get(path) ?? new Set()
    this.#keysOfPath.set(path, keys.add(place.key))
    for (const each of kept) this.#weight += each.weight
    for (const [oldest] of this.#byKey.values()) {
      if (this.#weight <= this.#budget || oldest === answer) break
      if (oldest !== undefined) this.#remove(oldest.place)
    }
  }

  /** With all its query strings, on all hosts and deployments of the project. */
  evict(projectId: string, path: string): void {
    this.#evictions++
    for (const key of this.#keysOfPath.get(pathKey(projectId, path)) ?? [])
      this.#remove({ key, projectId, path })
  }

  clear(): void {
    this.#evictions++
    this.#byKey.clear()
    this.#keysOfPath.clear()
    this.#weight = 0
  }

  #remove({ key, projectId, path }: Place): void {
    for (const { weight } of this.#byKey.get(key) ?? []) this.#weight -= weight
    this.#byKey.delete(key)
    const keys = this.#keysOfPath.get(pathKey(projectId, path))
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOfPath.delete(pathKey(projectId, path))
  }
}

const pathKey = (projectId: string, path: string): string => `${projectId} ${path}`
