// Measures at intervals what this process of svcd uses, for the charts of the platform.
import type { Clock } from '../../lib/clock.ts'
import type { ChartRecorder } from './chart-recorder.ts'

const measureEveryMs = 10_000

/** Returns the function that stops it. */
export function measureOwnUse(charts: Pick<ChartRecorder, 'addOwnUse'>, clock: Clock): () => void {
  let before = { at: performance.now(), cpu: process.cpuUsage() }
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before.cpu)
    const to = clock.now()
    const from = Math.round(to - (performance.now() - before.at))
    before = { at: performance.now(), cpu: process.cpuUsage() }
    charts.addOwnUse({ from, to, memoryBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 })
  }, measureEveryMs).unref()
  return () => clearInterval(timer)
}
