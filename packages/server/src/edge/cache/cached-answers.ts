// The cache entries, found by cache key and `Vary`. When memory is full, the entries of the least recently used keys
// are removed.
import type { SentRequest } from '../proxy/sent-request.ts'
import type { CachedAnswer, CacheKey } from './cached-answer.ts'

/**
 * The largest number of entries of one key. Clients can send any value in a header field that `Vary` names, so the
 * number needs a limit.
 */
const variantsAtMost = 16

export class CachedAnswers {
  readonly #budget: number
  /** The entries of each key. The least recently used key comes first. */
  readonly #byKey = new Map<string, CachedAnswer[]>()
  readonly #keysOfPath = new Map<string, Set<string>>()
  #weight = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  get weight(): number {
    return this.#weight
  }

  /** Whether there is an entry for this key, for any request. */
  has(key: string): boolean {
    return this.#byKey.has(key)
  }

  find(key: string, request: SentRequest): CachedAnswer | undefined {
    const variants = this.#byKey.get(key)
    if (variants === undefined) return undefined
    this.#byKey.delete(key)
    this.#byKey.set(key, variants)
    return variants.find(answer => answer.answers(request))
  }

  /**
   * Stores the answer and removes other variants of its key that answer the same request. If memory is full, removes
   * the least recently used keys.
   */
  put(answer: CachedAnswer, request: SentRequest): void {
    const { cacheKey, weight } = answer
    if (weight > this.#budget) return
    const others = (this.#byKey.get(cacheKey.text) ?? []).filter(other => !other.answers(request))
    this.#set(cacheKey, [answer, ...others].slice(0, variantsAtMost))
    for (const [oldest] of this.#byKey.values()) {
      if (this.#weight <= this.#budget || oldest === answer) break
      if (oldest !== undefined) this.#remove(oldest.cacheKey)
    }
  }

  /** Removes the answer and keeps the other variants of its key. */
  drop(answer: CachedAnswer): void {
    const { cacheKey } = answer
    this.#set(
      cacheKey,
      (this.#byKey.get(cacheKey.text) ?? []).filter(other => other !== answer),
    )
  }

  /**
   * Removes all entries of a path: with any query, on all hosts and deployments of the project. Returns their number.
   */
  evict(projectId: string, path: string): number {
    let count = 0
    for (const key of this.#keysOfPath.get(pathKey(projectId, path)) ?? []) {
      count += this.#byKey.get(key)?.length ?? 0
      this.#remove({ text: key, projectId, path })
    }
    return count
  }

  clear(): void {
    this.#byKey.clear()
    this.#keysOfPath.clear()
    this.#weight = 0
  }

  #set(cacheKey: CacheKey, answers: CachedAnswer[]): void {
    this.#remove(cacheKey)
    if (answers.length === 0) return
    this.#byKey.set(cacheKey.text, answers)
    const path = pathKey(cacheKey.projectId, cacheKey.path)
    const keys = this.#keysOfPath.get(path) ?? new Set()
    this.#keysOfPath.set(path, keys.add(cacheKey.text))
    for (const { weight } of answers) this.#weight += weight
  }

  #remove({ text: key, projectId, path }: CacheKey): void {
    for (const { weight } of this.#byKey.get(key) ?? []) this.#weight -= weight
    this.#byKey.delete(key)
    const keys = this.#keysOfPath.get(pathKey(projectId, path))
    keys?.delete(key)
    if (keys?.size === 0) this.#keysOfPath.delete(pathKey(projectId, path))
  }
}

const pathKey = (projectId: string, path: string): string => `${projectId} ${path}`
