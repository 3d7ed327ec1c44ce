// Traffic and audience of a site.
import { z } from 'zod'
import { timestamp } from './basics.ts'

const traffic = { requests: z.number().int(), bytes: z.number().int(), cache_hits: z.number().int() }

const status = z.object({
  '2xx': z.number().int(),
  '3xx': z.number().int(),
  '4xx': z.number().int(),
  '5xx': z.number().int(),
  other: z.number().int(),
})

export const liveStats = z.object({
  project: z.string(),
  from: timestamp,
  to: timestamp,
  totals: z.object(traffic),
  status,
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

const topViews = {
  top_pages: z.array(z.object({ path: z.string(), views })),
  top_referrers: z.array(z.object({ referrer: z.string(), views })),
  top_countries: z.array(z.object({ country: z.string(), views })),
  top_browsers: z.array(z.object({ browser: z.string(), views })),
  top_devices: z.array(z.object({ device: z.string(), views })),
  top_systems: z.array(z.object({ system: z.string(), views })),
}

export const statsAudience = z.object({
  project: z.string(),
  from: day,
  to: day,
  days: z.number().int(),
  totals: z.object({ pageviews: views }),
  timeline: z.array(z.object({ day, pageviews: views, visitors: z.number().int() })),
  ...topViews,
})

export const statsBreakdown = z.object({
  project: z.string(),
  from: day,
  to: day,
  days: z.number().int(),
  totals: z.object({ pageviews: views }),
  timeline: z.array(z.object({ day, pageviews: views })),
  ...topViews,
  complete: z
    .boolean()
    .describe('False if rare pageviews of the period, or those counted by an earlier version, are left out'),
})

const counts = {
  visitors: z
    .number()
    .int()
    .describe('The visitors of each day. Over several days, a visitor who comes on two of them counts twice'),
  pageviews: views,
  ...traffic,
  errors: z.number().int().describe('Answers with a status of 5xx'),
}

export const statsSummary = z.object({
  project: z.string(),
  from: timestamp,
  to: timestamp,
  per: z.enum(['hour', 'day']).describe('The length of one entry of the timeline'),
  totals: z.object(counts),
  previous: z
    .object(counts)
    .nullable()
    .describe(
      'The totals of the period before, up to the same hour. Null if its counts are not kept any more',
    ),
  status,
  timeline: z.array(z.object({ at: timestamp.describe('Its start'), ...counts })),
})

export type StatsSummary = z.infer<typeof statsSummary>

/** How far a chart looks back. */
export const chartRange = z.enum(['1h', '24h', '7d', '30d'])
export type ChartRange = z.infer<typeof chartRange>

const chartPoint = z.object({
  at: timestamp.describe('Its start'),
  requests: z.number().int(),
  errors: z.number().int().describe('Answers with a status of 5xx'),
  p95_ms: z
    .number()
    .nullable()
    .describe(
      '95 % of the answers that apps made took at most that long; at most 10000. Answers from files and caches do not count. Null without answers',
    ),
  instances: z.number().describe('How many instances of apps ran, on average'),
  cpu_cores: z
    .number()
    .nullable()
    .describe(
      '0.25 is a quarter of a core. Of a project: of one instance while it ran. Of the platform: svcd and all apps together',
    ),
  memory_bytes: z.number().int().nullable().describe('The average, of the same'),
})

export type ChartPoint = z.infer<typeof chartPoint>

export const charts = z.object({
  range: chartRange,
  from: timestamp,
  to: timestamp.describe('The end of the last point. A point is there when it is over'),
  step_seconds: z.number().int().describe('The length of a point'),
  points: z.array(chartPoint),
})

export type Charts = z.infer<typeof charts>
