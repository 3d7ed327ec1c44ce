// The AI usage of the account or of an org.
import type { AiUsageByDay } from '@svc/contract'
import { call } from '../../api.ts'
import { type Resource, useResource } from '../../resource.ts'

/** `org` is undefined for the account's own. */
export const useAiUsage = (org: string | undefined, days: number): Resource<AiUsageByDay> =>
  useResource(`ai ${org ?? ''} ${days}`, () =>
    org === undefined
      ? call('GET /usage/ai/days', { query: { days: String(days) } })
      : call('GET /orgs/:name/usage/ai/days', { params: { name: org }, query: { days: String(days) } }),
  )
