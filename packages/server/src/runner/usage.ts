// Measures at intervals what the running apps of this node use, and writes it to their rows and to the charts of their projects.
import type { ChartRecorder } from '../core/stats/chart-recorder.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppUsage } from '../ports/app-runtime/port.ts'
import { setUsage } from '../store/apps/instances.ts'
import type { Store } from '../store/store.ts'

const measureEveryMs = 10_000

/** An app that is measured, by the id of its instance. */
type Measured = ReadonlyMap<string, { projectId: string; usage(): Promise<AppUsage | undefined> }>

interface Sample extends AppUsage {
  projectId: string
  at: number
}

interface MeterParts {
  store: Pick<Store, 'transact'>
  clock: Clock
  charts: Pick<ChartRecorder, 'addUse'>
}

export class UsageMeter {
  readonly #parts: MeterParts
  readonly #onError: (error: unknown) => void
  #before = new Map<string, Sample>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: MeterParts, onError: (error: unknown) => void) {
    this.#parts = parts
    this.#onError = onError
  }

  start(running: Measured): void {
    this.#timer = setInterval(() => void this.measure(running).catch(this.#onError), measureEveryMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The share of a core is known from the second measurement on. */
  async measure(running: Measured): Promise<void> {
    const samples = new Map<string, Sample>()
    for (const [id, app] of running) {
      const usage = await app.usage()
      if (usage) samples.set(id, { ...usage, projectId: app.projectId, at: performance.now() })
    }
    const before = this.#before
    this.#before = samples
    if (samples.size === 0) return
    for (const [id, now] of samples) this.#addToCharts(before.get(id), now)
    await this.#parts.store.transact(async tx => {
      for (const [id, now] of samples)
        await setUsage(tx, id, {
          memory_bytes: Math.round(now.memoryBytes),
          cpu_millicores: millicores(before.get(id), now),
        })
    })
  }

  #addToCharts(before: Sample | undefined, now: Sample): void {
    if (!before) return
    const to = this.#parts.clock.now()
    const from = Math.round(to - (now.at - before.at))
    const cpuSeconds = Math.max(0, now.cpuSeconds - before.cpuSeconds)
    this.#parts.charts.addUse(now.projectId, { from, to, memoryBytes: now.memoryBytes, cpuSeconds })
  }
}

/** Processes that end take their CPU time with them, so the sum may shrink. */
function millicores(before: Sample | undefined, now: Sample): number | null {
  if (!before) return null
  const seconds = (now.at - before.at) / 1000
  return Math.max(0, Math.round(((now.cpuSeconds - before.cpuSeconds) / seconds) * 1000))
}
