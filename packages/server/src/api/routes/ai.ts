// The usage of the AI gateway.
import { aiUsageByDay, aiUsageOf } from '../../core/ai/usage.ts'
import type { PlanSettings, Platform, Rows } from '../../core/base/platform.ts'
import type { Handlers } from '../call.ts'

export const aiRoutes = (platform: Rows & PlanSettings & Pick<Platform, 'aiUsage' | 'hasAi' | 'urls'>) =>
  ({
    'GET /usage/ai': ({ caller }) => aiUsageOf(platform, caller.account.id),
    'GET /usage/ai/days': ({ caller, query }) => aiUsageByDay(platform, caller.account.id, query.days),
    'GET /orgs/:name/usage/ai': ({ org }) => aiUsageOf(platform, org.id),
    'GET /orgs/:name/usage/ai/days': ({ org, query }) => aiUsageByDay(platform, org.id, query.days),
  }) satisfies Partial<Handlers>
