// Traffic and audience of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

/** The last days, or the days from one date to another. */
const period = z.object({
  days: z.string().max(10).optional(),
  from: z.string().max(10).optional(),
  to: z.string().max(10).optional(),
})

const filter = z.string().max(512).optional()

export const statsEndpoints = {
  'GET /projects/:name/stats': {
    summary: 'Live traffic of the last hours',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({ hours: s.wholeNumber(limits.statsHours) }),
    answer: s.liveStats,
    errors: ['invalid_request', 'stats_unavailable', 'cdn_error', 'not_found'],
  },
  'GET /projects/:name/stats/summary': {
    summary: 'Visitors, pageviews, requests and errors per hour or day, and the period before',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: period.extend({
      hours: z.string().max(10).describe('The last hours, 1–72, instead of days').optional(),
    }),
    answer: s.statsSummary,
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/stats/history': {
    summary: 'Traffic per day',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: period,
    answer: s.statsHistory,
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/stats/audience': {
    summary: 'Pageviews and visitors per day',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: period,
    answer: s.statsAudience,
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/stats/charts': {
    summary: 'Requests, errors, answer times, memory and CPU of the app over time',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({ range: s.chartRange.default('1h') }),
    answer: s.charts.extend({ project: z.string() }),
    errors: ['invalid_request', 'not_found'],
  },
  'GET /projects/:name/stats/breakdown': {
    summary: 'The pageviews of one page, referrer, country, browser, device or system',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: period.extend({
      page: filter,
      referrer: filter.describe('Empty for pageviews without a referrer'),
      country: filter,
      browser: filter,
      device: filter,
      system: filter,
    }),
    answer: s.statsBreakdown,
    errors: ['invalid_request', 'not_found'],
    note: `Filters can be combined. A period has at most ${limits.breakdownDays} days.`,
  },
} as const satisfies Endpoints
