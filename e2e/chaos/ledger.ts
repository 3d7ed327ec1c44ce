// What the platform acknowledged, and what was seen that contradicts it.
import type { Answer } from './cluster.ts'

interface Counts {
  acknowledged: number
  refused: number
  unknown: number
}

export class Ledger {
  readonly violations: string[] = []
  readonly #counts = new Map<string, Counts>()
  readonly #seen = new Map<string, number>()
  /** The fault under way. */
  moment = 'the start'

  count(who: string, { status }: Answer): void {
    const counts = this.#counts.get(who) ?? { acknowledged: 0, refused: 0, unknown: 0 }
    this.#counts.set(who, counts)
    if (status >= 200 && status < 300) counts.acknowledged++
    else if (status >= 400 && status < 500) counts.refused++
    else counts.unknown++
  }

  see(what: string): void {
    this.#seen.set(what, (this.#seen.get(what) ?? 0) + 1)
  }

  violated(what: string): void {
    this.violations.push(`${this.moment}: ${what}`)
  }

  toString(): string {
    const rows = [...this.#counts].map(
      ([who, { acknowledged, refused, unknown }]) =>
        `${who.padEnd(27)}${acknowledged} acknowledged, ${refused} refused, ${unknown} without a known outcome`,
    )
    const seen = [...this.#seen].map(([what, times]) => `${what.padEnd(27)}${times} times`)
    const found =
      this.violations.length === 0 ? ['nothing is lost, and no visitor saw what they must not see'] : []
    return [...rows, ...seen, ...found, ...this.violations.map(text => `VIOLATED  ${text}`)].join('\n')
  }
}

/** A value with one writer. After a write without a known outcome it may be the new value or the old one. */
export class Register {
  readonly #name: string
  readonly #ledger: Ledger
  #acknowledged: string
  readonly #possible = new Set<string>()

  constructor(name: string, ledger: Ledger, first: string) {
    this.#name = name
    this.#ledger = ledger
    this.#acknowledged = first
  }

  /** Whether it is known what a reader must see. */
  get isCertain(): boolean {
    return this.#possible.size === 0
  }

  async write(value: string, send: () => Promise<Answer>): Promise<Answer> {
    this.#possible.add(value)
    const answer = await send()
    this.#ledger.count(this.#name, answer)
    if (answer.status >= 200 && answer.status < 300) this.#acknowledged = value
    if (answer.status !== 0 && answer.status < 500) this.#possible.delete(value)
    return answer
  }

  /** `where` is the node that was asked. */
  check(seen: string, where: string): void {
    if (seen === this.#acknowledged || this.#possible.has(seen)) return
    const expected = [this.#acknowledged, ...this.#possible].join(' or ')
    this.#ledger.violated(`${this.#name} is ${seen} at ${where}, and should be ${expected}`)
  }

  /** Nothing is under way any more, and all nodes agree. */
  settle(seen: string): void {
    this.check(seen, 'all nodes')
    this.#possible.clear()
    this.#acknowledged = seen
  }
}
