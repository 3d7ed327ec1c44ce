// A started container: passes its output on until the last line, reports how it ended, and removes it.
import { setTimeout as sleep } from 'node:timers/promises'
import { exitOf } from '../exit-messages.ts'
import type { AppExit, AppSpec, AppUsage } from '../port.ts'
import { type Engine, isConflict, isMissing } from './engine.ts'
import { OutputReader } from './output.ts'

/** The pause before a retry if the engine does not answer, such as while it restarts. */
const retryMs = 250

interface State {
  Running: boolean
  ExitCode: number
  OOMKilled: boolean
}

interface Inspected {
  State: State
  NetworkSettings: {
    Networks: Record<string, { IPAddress: string } | undefined>
    Ports: Record<string, { HostIp: string; HostPort: string }[] | null | undefined>
  }
}

/** What the engine counts. Parts are missing where the kernel does not count them. */
interface Stats {
  memory_stats?: { usage?: number; stats?: { inactive_file?: number } }
  cpu_stats?: { cpu_usage?: { total_usage?: number } }
}

export class Container {
  readonly id: string
  /** Resolves when the container has ended and is removed. Never rejects. */
  readonly ended: Promise<AppExit>
  readonly #engine: Engine
  readonly #output: OutputReader
  #hasEnded = false

  constructor(engine: Engine, id: string, output: AppSpec['output']) {
    this.id = id
    this.#engine = engine
    this.#output = new OutputReader(engine, `/containers/${id}`, output)
    this.ended = this.#untilEnd()
  }

  inspect(): Promise<Inspected> {
    return this.#engine.call<Inspected>('GET', `/containers/${this.id}/json`)
  }

  usage(): Promise<AppUsage | undefined> {
    return usageOf(this.#engine, this.id)
  }

  async stop(graceMs: number): Promise<AppExit> {
    if (graceMs > 0) await this.#signal('SIGTERM')
    const kill = setTimeout(() => void this.#signal('SIGKILL'), graceMs)
    const exit = await this.ended
    clearTimeout(kill)
    return exit
  }

  async #signal(name: NodeJS.Signals): Promise<void> {
    if (this.#hasEnded) return
    await this.#engine.call('POST', `/containers/${this.id}/kill?signal=${name}`).catch((error: unknown) => {
      // Retry if the engine does not answer. If it answers that there is no such container, the container has ended.
      if (!isMissing(error) && !isConflict(error)) setTimeout(() => void this.#signal(name), retryMs)
    })
  }

  async #untilEnd(): Promise<AppExit> {
    this.#output.follow()
    const state = await this.#untilNotRunning()
    this.#hasEnded = true
    await this.#output.finish().catch(leaveToNextStart)
    await this.#engine.call('DELETE', `/containers/${this.id}?force=1&v=1`).catch(leaveToNextStart)
    if (!state) return { code: null, signal: 'SIGKILL', outOfMemory: false }
    return exitOf(state.ExitCode, state.OOMKilled)
  }

  /** `undefined` if another program has removed the container. */
  async #untilNotRunning(): Promise<State | undefined> {
    for (;;) {
      try {
        const waiting = await this.#engine.stream('POST', `/containers/${this.id}/wait`)
        for await (const _ of waiting);
        const { State } = await this.inspect()
        if (!State.Running) return State
      } catch (error) {
        if (isMissing(error)) return undefined
        await sleep(retryMs)
      }
    }
  }
}

/** Ignores an error: the next svcd of this node finds a container that is left by its label. */
const leaveToNextStart = (): undefined => undefined

/** What a container uses now. `undefined` if the engine does not answer, or counts nothing on this machine. */
export async function usageOf(engine: Engine, id: string): Promise<AppUsage | undefined> {
  const stats = await engine
    .call<Stats>('GET', `/containers/${id}/stats?stream=false&one-shot=true`)
    .catch(() => undefined)
  const { memory_stats: memory, cpu_stats: cpu } = stats ?? {}
  if (memory?.usage === undefined || cpu?.cpu_usage?.total_usage === undefined) return undefined
  // The kernel drops unused pages of files when memory is needed.
  const memoryBytes = memory.usage - (memory.stats?.inactive_file ?? 0)
  return { memoryBytes: Math.max(0, memoryBytes), cpuSeconds: cpu.cpu_usage.total_usage / 1e9 }
}
