// What tokens cost: a list of prices per model, and exact sums. Amounts are whole micro-cents (a millionth of a cent).
import { z } from 'zod'
import type { TokenCounts } from './token-counts.ts'

const perMillion = z.number().min(0).max(100_000)
const priceList = z.strictObject({
  /** When the prices were looked up. */
  date: z.iso.date(),
  /** EUR per million tokens, by model; a key that ends in `*` is a prefix. */
  prices: z.record(
    z.string().min(1).max(200),
    z.strictObject({ input: perMillion, cached_input: perMillion.optional(), output: perMillion.optional() }),
  ),
})

export const microCentsPerCent = 1_000_000

/** In nano-cents per token, which are whole for prices with up to five decimals. */
interface Price {
  input: number
  cached: number
  output: number
}

export class Prices {
  readonly date: string
  readonly #exact = new Map<string, Price>()
  /** The longest first. */
  readonly #prefixes: [prefix: string, price: Price][] = []

  /** Throws an error in words if the list cannot be used. */
  constructor(list: unknown) {
    const { date, prices } = priceList.parse(list)
    this.date = date
    for (const [model, { input, cached_input = input, output = 0 }] of Object.entries(prices)) {
      const [inputPrice, cached, outputPrice] = [input, cached_input, output].map(eur =>
        nanoCents(model, eur),
      )
      const price = { input: inputPrice!, cached: cached!, output: outputPrice! }
      if (model.endsWith('*')) this.#prefixes.push([model.slice(0, -1), price])
      else this.#exact.set(model, price)
    }
    this.#prefixes.sort(([a], [b]) => b.length - a.length)
  }

  isKnown(model: string): boolean {
    return this.#find(model) !== undefined
  }

  /** In micro-cents, rounded up; 0 for a model without a price. */
  cost(model: string, { prompt, cached, completion }: TokenCounts): number {
    const price = this.#find(model)
    if (price === undefined) return 0
    const nano =
      BigInt(prompt - cached) * BigInt(price.input) +
      BigInt(cached) * BigInt(price.cached) +
      BigInt(completion) * BigInt(price.output)
    return Number((nano + 999n) / 1000n)
  }

  #find(model: string): Price | undefined {
    return this.#exact.get(model) ?? this.#prefixes.find(([prefix]) => model.startsWith(prefix))?.[1]
  }
}

/** One EUR per million tokens is 100,000 nano-cents per token. */
function nanoCents(model: string, eur: number): number {
  const nano = Math.round(eur * 100_000)
  if (Math.abs(eur * 100_000 - nano) > 1e-4) throw new Error(`prices.${model}: has more than five decimals`)
  return nano
}
