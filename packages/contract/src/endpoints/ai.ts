// Usage of the AI gateway, by the tokens of an account and by those of an org.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

/** How many days to return, including today (UTC). */
const daysQuery = z.object({ days: s.wholeNumber(limits.aiUsageDays) })

export const aiEndpoints = {
  'GET /usage/ai': {
    summary: 'AI-gateway usage per model in this month',
    access: 'user',
    rateLimits: [],
    answer: s.aiUsage,
  },
  'GET /usage/ai/days': {
    summary: 'AI-gateway usage and cost per day and model',
    access: 'user',
    rateLimits: [],
    query: daysQuery,
    answer: s.aiUsageByDay,
  },
  'GET /orgs/:name/usage/ai': {
    summary: "AI-gateway usage of the org's keys in this month",
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: s.aiUsage,
  },
  'GET /orgs/:name/usage/ai/days': {
    summary: "AI-gateway usage and cost of the org's keys per day and model",
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: daysQuery,
    answer: s.aiUsageByDay,
  },
} as const satisfies Endpoints
