// The prices of tokens, by model. Costs are exact: they are whole micro-cents (a millionth of a cent).
import { z } from 'zod'
import type { TokenCounts } from './token-counts.ts'

const perMillion = z.number().min(0).max(100_000)
const priceList = z.strictObject({
  /** When the prices were looked up. */
  date: z.iso.date(),
  /** EUR per million tokens, by model. A key that ends in `*` is a prefix of model names. */
  prices: z.record(
    z.string().min(1).max(200),
    z.strictObject({ input: perMillion, cached_input: perMillion.optional(), output: perMillion.optional() }),
  ),
})

export const microCentsPerCent = 1_000_000

/** Prices in nano-cents per token. They are whole numbers if the price in EUR has at most five decimals. */
interface Price {
  input: number
  cached: number
  output: number
}

export class Prices {
  readonly date: string
  readonly #exact = new Map<string, Price>()
  /** The longest prefix comes first. */
  readonly #prefixes: [prefix: string, price: Price][] = []

  /** Throws an error with a message for the operator if the list is not valid. */
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

  /** The cost in micro-cents, rounded up. 0 for a model without a price. */
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
