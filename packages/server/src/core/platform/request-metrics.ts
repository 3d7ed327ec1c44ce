// The requests that each process has answered, as metrics.
import { bucketLimitsMs, type Counts, type RequestCounts } from '../base/request-counts.ts'
import { counter, histogram, type Metric, type Sample } from './exposition.ts'

export function requestMetrics({ all }: Pick<RequestCounts, 'all'>): Record<string, Metric> {
  const perProcess = (samplesOf: (counts: Counts) => Sample[]): Sample[] =>
    [...all].flatMap(([process, counts]) =>
      samplesOf(counts).map(sample => ({ ...sample, labels: { process, ...sample.labels } })),
    )
  return {
    requests_total: counter(
      'Answered requests by class and status. Those of sites are counted if SVCD_ANALYTICS is on.',
      perProcess(({ requests }) => samples(requests, ['class', 'status'])),
    ),
    request_duration_seconds: histogram(
      'From the request to the end of the answer. Answers from memory count as 0.',
      perProcess(({ latency }) =>
        Object.entries(latency).flatMap(([kind, { buckets, ms }]) => bucketSamples(kind, buckets, ms)),
      ),
    ),
    sent_bytes_total: counter(
      'Bytes of the bodies of answers of sites.',
      perProcess(({ bytes }) => samples(bytes, ['class'])),
    ),
    cache_answers_total: counter(
      'Answers of sites by the value of X-Svc-Cache. Of static files, HIT means from memory.',
      perProcess(({ cache }) => samples(cache, ['class', 'state'])),
    ),
    api_requests_total: counter(
      'Requests of the API by endpoint and status.',
      perProcess(({ endpoints }) => samples(endpoints, ['endpoint', 'status'])),
    ),
  }
}

/** The last word of a key is the last label: an endpoint has a space itself. */
function samples(counts: Record<string, number>, names: [string] | [string, string]): Sample[] {
  return Object.entries(counts).map(([key, value]) => {
    const [first, second] = names
    const space = second === undefined ? key.length : key.lastIndexOf(' ')
    const labels = { [first]: key.slice(0, space), ...(second && { [second]: key.slice(space + 1) }) }
    return { labels, value }
  })
}

/** Each bucket of Prometheus holds those below it, too. */
function bucketSamples(kind: string, buckets: readonly number[], ms: number): Sample[] {
  let sum = 0
  const cumulative = buckets.map((count, i) => {
    sum += count
    const limit = bucketLimitsMs[i]
    const le = limit === undefined ? '+Inf' : String(limit / 1000)
    return { suffix: '_bucket', labels: { class: kind, le }, value: sum }
  })
  const labels = { class: kind }
  return [
    ...cumulative,
    { suffix: '_sum', labels, value: ms / 1000 },
    { suffix: '_count', labels, value: sum },
  ]
}
