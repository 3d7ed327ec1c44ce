// The stats of a project, read again and again while they are looked at.
import type { ChartRange, Charts } from '@svc/contract'
import { useEffect } from 'react'
import { call } from '../../api.ts'
import { type Resource, useResource } from '../../resource.ts'
import type { Filters } from './filters.ts'

const refreshMs = 10_000
const dailyMs = 60_000

function useRefreshed<T>(resource: Resource<T>, intervalMs: number): Resource<T> {
  const { refresh } = resource
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh()
    }, intervalMs)
    return () => clearInterval(timer)
  }, [refresh, intervalMs])
  return resource
}

export function useLiveStats(name: string, hours: number) {
  const asked = { params: { name }, query: { hours: String(hours) } }
  const load = async () => {
    const [live, summary] = await Promise.all([
      call('GET /projects/:name/stats', asked),
      call('GET /projects/:name/stats/summary', asked),
    ])
    return { live, summary }
  }
  return useRefreshed(useResource(`stats ${name} ${hours} hours`, load), refreshMs)
}

export type LiveStats = NonNullable<ReturnType<typeof useLiveStats>['data']>

export function useDailyStats(name: string, days: number) {
  const asked = { params: { name }, query: { days: String(days) } }
  const load = async () => {
    const [summary, audience] = await Promise.all([
      call('GET /projects/:name/stats/summary', asked),
      call('GET /projects/:name/stats/audience', asked),
    ])
    return { summary, audience }
  }
  return useRefreshed(useResource(`stats ${name} ${days} days`, load), dailyMs)
}

export function useBreakdown(name: string, days: number, filters: Filters) {
  const query = { days: String(days), ...filters }
  const load = () => call('GET /projects/:name/stats/breakdown', { params: { name }, query })
  return useRefreshed(useResource(`stats ${name} ${JSON.stringify(query)}`, load), dailyMs)
}

export type Breakdown = NonNullable<ReturnType<typeof useBreakdown>['data']>

export type DailyStats = NonNullable<ReturnType<typeof useDailyStats>['data']>

export const useCharts = (name: string, range: ChartRange) =>
  useRefreshed(
    useResource<Charts>(`charts ${name} ${range}`, () =>
      call('GET /projects/:name/stats/charts', { params: { name }, query: { range } }),
    ),
    dailyMs,
  )

export const usePlatformCharts = (range: ChartRange) =>
  useRefreshed(
    useResource<Charts>(`charts of the platform ${range}`, () =>
      call('GET /admin/charts', { query: { range } }),
    ),
    dailyMs,
  )
