// The edge's directory of running apps. It caches addresses of instances from the database, drops them on changes, and
// requests a start if no instance runs. The runner reads and writes the same rows.
import { setMaxListeners } from 'node:events'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { WakeSignal } from '../../lib/wake-signal.ts'
import type { Change } from '../../ports/changes/port.ts'
import { noteUse } from '../../store/apps/instances.ts'
import {
  type App,
  type AppAddress,
  type AppStarter,
  type Apps,
  type Connect,
  DidNotStart,
} from '../base/apps.ts'
import { InstanceUse, Visits } from './instance-use.ts'
import {
  addressOf,
  currentOf,
  type Instance,
  type InstanceParts,
  requestInstance,
  retire,
} from './instances.ts'
import { allPlacesTaken, DiskHasMoved, outOfReach, withStartTimeout } from './waiting.ts'

export interface DirectorySettings {
  /** How long a request waits for a start. */
  startTimeoutMs: number
  /** How many requests may wait for one app. */
  waitingAtMost: number
  /** The time without a request after which an app is stopped. */
  idleMs: number
}

/** How often rows are read while waiting, in case a change was missed. */
const lookEveryMs = 1_000
/** A start that takes longer fails, for example because no node runs apps. */
const startWithinMs = 60_000
/** How often the use of an instance is recorded. The runner does not stop an instance that is in use. */
const noteEveryMs = 2_500
/** How long the runner may take to notice that an app has ended. */
const verdictMs = 1_000
/** Requests do not wait for an app that keeps crashing if its pause before the next start is longer. */
const longestWaitMs = 5_000

/** One start. All requests that wait for the app share it. */
interface SharedStart {
  readonly wakeSignal: WakeSignal
  readonly ready: Promise<AppAddress>
  waiting: number
}

export class AppDirectory implements Apps, AppStarter {
  readonly connect: Connect
  readonly #parts: InstanceParts
  readonly #settings: DirectorySettings
  readonly #onError: (error: unknown) => void
  /** By deployment: the instance that requests go to. */
  readonly #known = new Map<string, InstanceUse>()
  readonly #visits = new Map<string, Visits>()
  /** Replaced instances that still have running requests. */
  readonly #leaving = new Set<InstanceUse>()
  readonly #starts = new Map<string, SharedStart>()
  /** By instance: when a connection to it failed. */
  readonly #unreachable = new Map<string, number>()
  /** By instance: since when it must not be used any more. Its row says so a moment later. */
  readonly #left = new Map<string, number>()
  readonly #stopping = new AbortController()
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout

  constructor(
    parts: InstanceParts & { connect: Connect },
    settings: DirectorySettings,
    onError: (error: unknown) => void,
  ) {
    this.#parts = parts
    this.connect = parts.connect
    this.#settings = settings
    this.#onError = onError
    // Every deploy that waits for a start adds a listener, so Node's warning about leaks does not apply.
    setMaxListeners(0, this.#stopping.signal)
    this.#unsubscribe = parts.store.changes.subscribe(change => this.#onChange(change))
    this.#timer = setInterval(() => this.#noteUses(), noteEveryMs)
    this.#timer.unref()
  }

  peek(deploymentId: string): AppAddress | undefined {
    const known = this.#known.get(deploymentId)
    return known?.isCurrent ? known.address : undefined
  }

  async ensureRunning(app: App, signal?: AbortSignal): Promise<AppAddress> {
    const known = this.#known.get(app.deploymentId)
    if (known?.isCurrent) return known.address
    signal?.throwIfAborted()
    const start = this.#startOf(app)
    if (start.waiting >= this.#settings.waitingAtMost)
      throw new Fault('unavailable', 'Too many requests wait for this app to start. Try again shortly.', {
        retryAfter: 5,
      })
    start.waiting++
    const { startTimeoutMs } = this.#settings
    try {
      return await withStartTimeout(start.ready, startTimeoutMs, signal)
    } catch (error) {
      if (!(error instanceof DiskHasMoved) || error.successor === undefined) throw error
      return await this.ensureRunning({ ...app, deploymentId: error.successor }, signal)
    } finally {
      start.waiting--
    }
  }

  leave(deploymentId: string, instanceId: string): () => boolean {
    this.#left.set(instanceId, this.#parts.clock.now())
    const visits = this.#visits.get(deploymentId)
    if (visits) this.#visits.set(deploymentId, new Visits(visits))
    this.#known.delete(deploymentId)
    return () => visits?.isAny ?? false
  }

  markBusy(deploymentId: string): () => void {
    const done = this.#visitsOf(deploymentId).begin(() => this.#touch(deploymentId))
    this.#touch(deploymentId)
    return done
  }

  markUnreachable(deploymentId: string, { host, port, node }: AppAddress): void {
    const use = this.#known.get(deploymentId)
    if (use?.address.host !== host || use.address.port !== port || use.address.node !== node) return
    // A change may have made the entry stale already. The address is out of use all the same.
    use.isCurrent = false
    if (!this.#unreachable.has(use.instanceId)) this.#unreachable.set(use.instanceId, this.#parts.clock.now())
  }

  async start(app: App, moreMs = 0): Promise<void> {
    const withinMs = startWithinMs + moreMs
    await withStartTimeout(this.#startOf(app, withinMs, true).ready, withinMs, this.#stopping.signal)
  }

  /** Called when svcd is about to stop. Fails all waiting deploys, because a start may take too long. */
  stopStarts(): void {
    this.#stopping.abort(
      new Fault('unavailable', 'The platform stopped while the app was starting. Deploy again.', {
        retryAfter: 5,
      }),
    )
  }

  close(): void {
    this.#unsubscribe()
    clearInterval(this.#timer)
  }

  #startOf(app: App, withinMs = startWithinMs, takesDisk = false): SharedStart {
    const { deploymentId } = app
    const underWay = this.#starts.get(deploymentId)
    if (underWay) return underWay
    const wakeSignal = new WakeSignal()
    const ready = this.#awaitReady(app, wakeSignal, withinMs, takesDisk).finally(() =>
      this.#starts.delete(deploymentId),
    )
    // If all callers went away, the rejection must not count as unhandled.
    ready.catch(() => undefined)
    const start: SharedStart = { wakeSignal, ready, waiting: 0 }
    this.#starts.set(deploymentId, start)
    return start
  }

  async #awaitReady(
    app: App,
    wakeSignal: WakeSignal,
    withinMs: number,
    takesDisk: boolean,
  ): Promise<AppAddress> {
    const { clock } = this.#parts
    const until = clock.now() + withinMs
    let awaited: string | undefined
    let outcome: Awaited<ReturnType<typeof requestInstance>> | undefined
    while (clock.now() < until) {
      const { ready, elsewhere, starting, ended } = await currentOf(this.#parts, app.deploymentId)
      if (ready && this.#unreachable.has(ready.id)) {
        await this.#awaitVerdict(ready, wakeSignal)
        continue
      }
      if (ready && this.#left.has(ready.id)) {
        await wakeSignal.wait(lookEveryMs)
        continue
      }
      if (ready) return this.#remember(ready)
      if (elsewhere && !this.#parts.runsApps) throw outOfReach()
      if (ended && ended.id === awaited && (ended.outcome === 'failed' || ended.outcome === 'crashed'))
        throw new DidNotStart(ended.error ?? 'It ended at once.')
      awaited = starting?.id ?? awaited
      if (starting) await this.#awaitTurn(starting, wakeSignal)
      else {
        const id = newId('ins')
        outcome = await requestInstance(this.#parts, app, ended, id, takesDisk)
        // It may have ended before the next look.
        if (outcome === 'asked') awaited = id
        if (typeof outcome === 'object') throw new DiskHasMoved(outcome.successor)
        if (outcome === 'suspended') throw new Fault('suspended', 'The project is suspended.')
        if (outcome === 'gone') throw new Fault('not_found', 'The deployment is gone.')
        if (outcome === 'full') await wakeSignal.wait(lookEveryMs)
      }
    }
    throw new DidNotStart(outcome === 'full' ? allPlacesTaken : 'No runner has started it in time.')
  }

  /** Waits for the runner to record how the instance ended, which matters for the next start. If it does not, retires it. */
  async #awaitVerdict({ id, deployment_id }: Instance, wakeSignal: WakeSignal): Promise<void> {
    const since = this.#unreachable.get(id) ?? 0
    if (this.#parts.clock.now() - since < verdictMs) await wakeSignal.wait(verdictMs)
    else await retire(this.#parts, id, deployment_id)
  }

  async #awaitTurn({ not_before, error }: Instance, wakeSignal: WakeSignal): Promise<void> {
    const pause = not_before - this.#parts.clock.now()
    if (pause > longestWaitMs) throw new DidNotStart(error ?? 'It keeps crashing.', Math.ceil(pause / 1000))
    await wakeSignal.wait(lookEveryMs)
  }

  #remember(row: Instance): AppAddress {
    const known = this.#known.get(row.deployment_id)
    if (known?.instanceId === row.id) {
      known.isCurrent = true
      return known.address
    }
    const visits = new Visits(this.#visits.get(row.deployment_id))
    this.#visits.set(row.deployment_id, visits)
    if (known) known.isCurrent = false
    if (known?.isBusy) this.#leaving.add(known)
    const address = addressOf(this.#parts, row)
    this.#known.set(row.deployment_id, new InstanceUse(row.id, address, visits, row.used_at))
    return address
  }

  #visitsOf(deploymentId: string): Visits {
    const known = this.#visits.get(deploymentId)
    if (known) return known
    const visits = new Visits()
    this.#visits.set(deploymentId, visits)
    return visits
  }

  #touch(deploymentId: string): void {
    const use = this.#known.get(deploymentId)
    if (use === undefined) return
    const now = this.#parts.clock.now()
    use.touch(now)
    if (use.isCurrent && use.isNoteDue(now, this.#seldom)) this.#note([use])
  }

  #onChange(change: Change): void {
    if (change.topic === 'app') this.#markStale(change.key)
    else if (change.topic === 'everything')
      for (const id of [...this.#known.keys(), ...this.#starts.keys()]) this.#markStale(id)
  }

  /** The next request reads the rows again. If the instance is busy, records that now, so that the runner does not stop it. */
  #markStale(deploymentId: string): void {
    const use = this.#known.get(deploymentId)
    if (use) {
      use.isCurrent = false
      if (use.isBusy) this.#note([use])
    }
    this.#starts.get(deploymentId)?.wakeSignal.wake()
  }

  #noteUses(): void {
    for (const [id, use] of this.#known) if (!use.isCurrent && !use.isBusy) this.#known.delete(id)
    for (const [id, visits] of this.#visits)
      if (!visits.isAny && !this.#known.has(id)) this.#visits.delete(id)
    for (const use of this.#leaving) if (!use.isBusy) this.#leaving.delete(use)
    const longAgo = this.#parts.clock.now() - startWithinMs
    for (const instances of [this.#unreachable, this.#left])
      for (const [id, since] of instances) if (since < longAgo) instances.delete(id)
    this.#noteIfDue(this.#known.values())
    this.#note([...this.#leaving])
  }

  #noteIfDue(uses: Iterable<InstanceUse>): void {
    const now = this.#parts.clock.now()
    this.#note([...uses].filter(use => use.isNoteDue(now, use.isCurrent ? this.#seldom : noteEveryMs - 100)))
  }

  /** How often the use of an instance is recorded while its address is up to date. */
  get #seldom(): number {
    return Math.min(7_500, this.#settings.idleMs / 4)
  }

  #note(uses: InstanceUse[]): void {
    if (uses.length === 0) return
    const { store, clock } = this.#parts
    const now = clock.now()
    for (const use of uses) use.noted(now)
    noteUse(
      store.db,
      uses.map(use => use.instanceId),
      now,
    ).catch(this.#onError)
  }
}
