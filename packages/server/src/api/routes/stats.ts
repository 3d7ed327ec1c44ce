// Traffic and audience.
import type { Platform, Rows } from '../../core/base/platform.ts'
import { statsBreakdown } from '../../core/stats/breakdown.ts'
import { projectCharts } from '../../core/stats/charts.ts'
import { statsAudience, statsHistory } from '../../core/stats/days.ts'
import { liveStats } from '../../core/stats/live.ts'
import { statsSummary } from '../../core/stats/summary.ts'
import type { Handlers } from '../call.ts'

export const statsRoutes = (platform: Rows & Pick<Platform, 'analytics'>) =>
  ({
    'GET /projects/:name/stats': ({ project, query }) => liveStats(platform, project, query.hours),
    'GET /projects/:name/stats/summary': ({ project, query }) => statsSummary(platform, project, query),
    'GET /projects/:name/stats/history': ({ project, query }) => statsHistory(platform, project, query),
    'GET /projects/:name/stats/audience': ({ project, query }) => statsAudience(platform, project, query),
    'GET /projects/:name/stats/charts': ({ project, query }) => projectCharts(platform, project, query.range),
    'GET /projects/:name/stats/breakdown': ({ project, query }) => statsBreakdown(platform, project, query),
  }) satisfies Partial<Handlers>
