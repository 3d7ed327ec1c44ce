// Usage of the AI gateway. Only counts, never a prompt or an answer.
import { z } from 'zod'

const tokenCounts = {
  requests: z.number().int(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
}

export const aiUsage = z.object({
  usage: z.array(z.object({ model: z.string(), ...tokenCounts })),
  totals: z.object(tokenCounts),
})

export type AiUsage = z.infer<typeof aiUsage>

const microCents = z.number().int().describe('Millionths of an EUR cent')
const day = z.iso.date()

export const aiUsageByDay = z.object({
  base_url: z.string().describe('The base URL for OpenAI clients'),
  is_set_up: z.boolean().describe('False: the operator has set no AI provider'),
  from: day,
  to: day,
  rows: z.array(
    z.object({
      day,
      model: z.string(),
      ...tokenCounts,
      cached_tokens: z.number().int().describe('Prompt tokens that the provider had in its cache'),
      uncounted: z.number().int().describe('Requests whose tokens the provider did not count'),
      unpriced: z.number().int().describe('Requests for a model without a price, which cost nothing here'),
      cost_micro_cents: microCents,
    }),
  ),
  month: z.object({
    cost_micro_cents: microCents.describe('Of the current month (UTC)'),
    credit_cents: z.number().int().nullable().describe('What the plan includes; null if there is no limit'),
  }),
})
export type AiUsageByDay = z.infer<typeof aiUsageByDay>
