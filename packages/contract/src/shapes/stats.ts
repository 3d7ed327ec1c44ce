// Traffic and audience of a site.
import { z } from 'zod'
import { timestamp } from './basics.ts'

const traffic = { requests: z.number().int(), bytes: z.number().int(), cache_hits: z.number().int() }

export const liveStats = z.object({
  project: z.string(),
  from: timestamp,
  to: timestamp,
  totals: z.object(traffic),
  status: z.object({
    '2xx': z.number().int(),
    '3xx': z.number().int(),
    '4xx': z.number().int(),
    '5xx': z.number().int(),
    other: z.number().int(),
  }),
  cache: z.record(z.string(), z.number().int()),
  hostnames: z.array(z.object({ hostname: z.string(), requests: z.number().int(), bytes: z.number().int() })),
  timeline: z.array(z.object({ hour: timestamp, ...traffic })),
  top_paths: z.array(z.object({ path: z.string(), requests: z.number().int(), bytes: z.number().int() })),
  top_countries: z.array(z.object({ country: z.string(), requests: z.number().int() })),
  truncated: z.boolean(),
})

const day = z.iso.date().describe('YYYY-MM-DD')

export const statsHistory = z.object({
  project: z.string(),
  from: day,
  to: day,
  days: z.number().int(),
  totals: z.object(traffic),
  timeline: z.array(z.object({ day, ...traffic })),
})

const views = z.number().int()

export const statsAudience = z.object({
  project: z.string(),
  from: day,
  to: day,
  days: z.number().int(),
  totals: z.object({ pageviews: views }),
  timeline: z.array(z.object({ day, pageviews: views, visitors: z.number().int() })),
  top_pages: z.array(z.object({ path: z.string(), views })),
  top_referrers: z.array(z.object({ referrer: z.string(), views })),
  top_countries: z.array(z.object({ country: z.string(), views })),
})
