import { expect, it, vi } from 'vitest'
import { written } from '../platform/exposition.ts'
import { requestMetrics } from '../platform/request-metrics.ts'
import { countAccess } from '../stats/request-metrics.ts'
import { bucketLimitsMs, type Counts, RequestCounts } from './request-counts.ts'

const answer = { class: 'static', status: 200, ms: undefined, bytes: 10, cache: 'HIT', times: 1 } as const
const textOf = (counts: RequestCounts): string =>
  Object.entries(requestMetrics(counts))
    .map(([name, metric]) => written(name, metric))
    .join('')

it('requests are counted by class and status, and equal ones together', () => {
  const counts = new RequestCounts()
  counts.add({ ...answer, times: 3 })
  counts.add({ ...answer, class: 'app', status: 0, bytes: 0, cache: undefined })
  counts.add({ ...answer, class: 'app', status: 799, cache: 'x"y' })
  const text = textOf(counts)
  expect(text).toContain('requests_total{process="main",class="static",status="200"} 3\n')
  expect(text).toContain('requests_total{process="main",class="app",status="aborted"} 1\n')
  expect(text).toContain('requests_total{process="main",class="app",status="other"} 1\n')
  expect(text).toContain('sent_bytes_total{process="main",class="static"} 30\n')
  expect(text).toContain('cache_answers_total{process="main",class="static",state="HIT"} 3\n')
  expect(text).not.toContain('x"y')
})

it('a bucket of the histogram holds the faster answers, too', () => {
  const counts = new RequestCounts()
  for (const ms of [0, 1, 2, 10_000, 10_001]) counts.add({ ...answer, ms })
  const bucket = (le: string) =>
    Number(
      new RegExp(`_bucket\\{process="main",class="static",le="${le.replace('+', '\\+')}"\\} (\\d+)`).exec(
        textOf(counts),
      )?.[1],
    )
  expect(['0.001', '0.005', '5', '10', '+Inf'].map(bucket)).toEqual([2, 3, 3, 4, 5])
  expect(textOf(counts)).toContain('request_duration_seconds_sum{process="main",class="static"} 20.004\n')
  expect(textOf(counts)).toContain('request_duration_seconds_count{process="main",class="static"} 5\n')
  expect(counts.all.get('main')!.latency.static!.buckets).toHaveLength(bucketLimitsMs.length + 1)
})

it('a worker tells its counts now and then, and they go when it has ended', () => {
  vi.useFakeTimers()
  try {
    const [worker, main] = [new RequestCounts(), new RequestCounts()]
    const told: Counts[] = []
    worker.tellTo(counts => told.push(structuredClone(counts)))
    worker.add(answer)
    worker.add(answer)
    vi.advanceTimersByTime(2_000)
    expect(told.map(({ requests }) => requests)).toEqual([{ 'static 200': 2 }])
    vi.advanceTimersByTime(60_000)
    expect(told).toHaveLength(1)
    main.setWorker('edge-1', told[0])
    expect(textOf(main)).toContain('requests_total{process="edge-1",class="static",status="200"} 2\n')
    main.setWorker('edge-1', undefined)
    expect(textOf(main)).not.toContain('edge-1')
  } finally {
    vi.useRealTimers()
  }
})

it('what svcd cached of an app has a class of its own', () => {
  const counts = new RequestCounts()
  const access = {
    ...{
      at: 0,
      projectId: 'prj_a',
      host: 'a',
      method: 'GET',
      target: '/',
      status: 200,
      bytes: 1,
      html: false,
    },
    ...{ peer: '', deploymentId: undefined, requestId: 'a', ms: 3, fields: '', times: 2, taken: true },
  }
  countAccess(counts, { ...access, source: 'app', cache: 'HIT' })
  countAccess(counts, { ...access, source: 'app', cache: 'BYPASS' })
  countAccess(counts, { ...access, source: 'static', cache: 'HIT' })
  expect(counts.all.get('main')!.requests).toEqual({ 'cache 200': 2, 'app 200': 2, 'static 200': 2 })
})
