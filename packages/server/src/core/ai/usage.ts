// What an account or org used of the AI gateway, for reports and for the credit of its plan.

import type { AiUsage, AiUsageByDay } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { type AiDay, aiDays, costOfMonth } from '../../store/ai/ai.ts'
import type { Db } from '../../store/store.ts'
import { unlimited } from '../base/catalog.ts'
import { dateOf, dayOf, monthOf } from '../base/periods.ts'
import { allowancesOf } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'

/** The costs of an account or org in the current month (UTC), in micro-cents. */
export const aiCostThisMonth = (db: Db, ownerId: string, now: number): Promise<number> =>
  costOfMonth(db, ownerId, monthOf(now).start)

/** The AI credit of a month, in cents. `undefined` if there is no limit, for example because billing is off. */
export async function creditCentsOf(
  platform: PlanSettings & Rows,
  ownerId: string,
): Promise<number | undefined> {
  const { aiCreditCents } = await allowancesOf(platform, platform.store.db, ownerId)
  return aiCreditCents === unlimited ? undefined : aiCreditCents
}

/** The usage of the current month (UTC), by model. */
export async function aiUsageOf(
  platform: Rows & Pick<Platform, 'aiUsage'>,
  ownerId: string,
): Promise<AiUsage> {
  await platform.aiUsage.write()
  const now = platform.clock.now()
  const days = await aiDays(platform.store.aside, ownerId, {
    from: monthOf(now).start,
    to: dayOf(now) + dayMs,
  })
  const models = new Map<string, Counted>()
  const totals: Counted = { requests: 0, prompt_tokens: 0, completion_tokens: 0 }
  for (const day of days) {
    const ofModel = models.get(day.model) ?? { requests: 0, prompt_tokens: 0, completion_tokens: 0 }
    models.set(day.model, ofModel)
    for (const sum of [ofModel, totals]) addCounts(sum, day)
  }
  const usage = [...models].map(([model, counts]) => ({ model, ...counts }))
  return { usage: usage.sort((a, b) => b.requests - a.requests || (a.model < b.model ? -1 : 1)), totals }
}

type Counted = AiUsage['totals']

function addCounts(sum: Counted, { requests, prompt_tokens, completion_tokens }: AiDay): void {
  sum.requests += requests
  sum.prompt_tokens += prompt_tokens
  sum.completion_tokens += completion_tokens
}

/** The usage of the last `days` days, today included. */
export async function aiUsageByDay(
  platform: PlanSettings & Rows & Pick<Platform, 'aiUsage' | 'hasAi' | 'urls'>,
  ownerId: string,
  days: number,
): Promise<AiUsageByDay> {
  await platform.aiUsage.write()
  const to = dayOf(platform.clock.now()) + dayMs
  const from = to - days * dayMs
  const rows = await aiDays(platform.store.aside, ownerId, { from, to })
  const cost = await aiCostThisMonth(platform.store.db, ownerId, platform.clock.now())
  return {
    base_url: `${platform.urls.ai}/v1`,
    is_set_up: platform.hasAi,
    month: { cost_micro_cents: cost, credit_cents: (await creditCentsOf(platform, ownerId)) ?? null },
    from: dateOf(from),
    to: dateOf(to - dayMs),
    rows: rows.map(({ day, cost, ...row }) => ({ day: dateOf(day), cost_micro_cents: cost, ...row })),
  }
}
