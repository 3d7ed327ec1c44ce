// The runner: a reconcile loop that compares the wanted instances in the database with those that run on this machine, and
// starts and stops instances. It can be killed at any moment.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { notifyOfSoundApps } from '../core/apps/crash-loops.ts'
import {
  claimInstance,
  crashesAfter,
  currentOf,
  endAll,
  endForgotten,
  type Instance,
  isDue,
  pauseAfter,
  requestInstance,
  retire,
  retireIdle,
} from '../core/apps/instances.ts'
import { listReadyApps } from '../core/apps/ready-apps.ts'
import type { App } from '../core/base/apps.ts'
import type { DatabaseParts, PlanSettings, Platform } from '../core/base/platform.ts'
import { suspensionOf } from '../core/base/suspension.ts'
import { ChartRecorder } from '../core/stats/chart-recorder.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import type { Change } from '../ports/changes/port.ts'
import { listOutdated } from '../store/apps/generations.ts'
import { findInstance, listActive } from '../store/apps/instances.ts'
import { Commands } from './commands.ts'
import { DiskSizes } from './disk-sizes.ts'
import { DiskTasks } from './disk-tasks.ts'
import { DiskTurns } from './disk-turns.ts'
import { Leftovers, type LeftoversParts } from './leftovers.ts'
import { notes } from './notes.ts'
import { Successors } from './successors.ts'
import { Supervisor, type SupervisorParts } from './supervisor.ts'
import { UsageMeter } from './usage.ts'

interface RunnerParts extends SupervisorParts, LeftoversParts {
  platform: PlanSettings & DatabaseParts & Pick<Platform, 'apps' | 'nodeVersions'>
  idleMs: number
  log: Logger
}

/** How often the loop runs without a change, to find idle apps and missed changes. */
const lookEveryMs = 1_000
/** Changes that start and stop no app. */
const irrelevant: ReadonlySet<Change['topic']> = new Set(['domain', 'log', 'deployment', 'cron', 'workspace'])
/** How many instances start at a time, in total and of one project. */
const startsAtOnce = 16
const startsOfProject = 4
/** The idle timeout of an app whose deployment is no longer live. It still serves old visitors and permanent URLs. */
const supersededIdleMs = 30_000
/** Edges learn within this time that an instance must not be used any more. */
const hearingMs = 1_000
/** An edge that still uses an instance records that at least this often. */
const silenceMs = 6_000
/** A replaced instance gets no more requests after this, even if WebSockets are still open … */
const drainAtMostMs = 5 * 60_000
/** … and its last requests may take this long. */
const lastRequestsMs = 30_000
/** How often the list of ready apps and unneeded files is updated. */
const tidyEveryMs = 30_000
/** The grace time of instances when svcd stops. Then they are killed. */
const lastGraceMs = 1_500
const giveUpAfterMs = 5_000

export class Runner {
  readonly #parts: RunnerParts
  readonly commands: Commands
  readonly #running = new Map<string, Supervisor>()
  readonly #turns = new DiskTurns()
  readonly #leftovers: Leftovers
  readonly #successors: Successors
  readonly #sizes: DiskSizes
  readonly #tasks: DiskTasks
  /** The apps that are always kept running, by deployment. */
  #kept = new Map<string, App>()
  #tidyAt = 0
  readonly #loop: ReconcileLoop
  readonly #charts: ChartRecorder
  readonly #meter: UsageMeter
  #unsubscribe: () => void = () => undefined

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#sizes = new DiskSizes(parts, err => parts.log.error({ err }, 'could not measure a disk'))
    this.#tasks = new DiskTasks(parts, this.#turns, err => parts.log.error({ err }, 'could not copy a disk'))
    const onError = (err: unknown) => parts.log.warn({ err }, 'could not measure apps')
    this.#charts = new ChartRecorder(parts.store, onError)
    this.#meter = new UsageMeter({ ...parts, charts: this.#charts }, onError)
    this.#leftovers = new Leftovers(parts, this.#turns)
    this.commands = new Commands(parts, this.#turns)
    this.#successors = new Successors(parts, () => this.look())
    this.#loop = new ReconcileLoop({
      reconcile: () => this.#reconcile(),
      onError: err => parts.log.error({ err }, 'the runner could not compare what runs with what should'),
      intervalMs: lookEveryMs,
    })
  }

  async start(): Promise<void> {
    const { runtime, files, log, logs, store } = this.#parts
    const { description, warnings, problems } = await runtime.check()
    log.info({ driver: runtime.driver, found: description }, 'server apps run here')
    for (const line of [...problems, ...warnings]) log.warn(line)
    const leftovers = await runtime.endLeftovers(async source => ({
      after: await logs.lastOf(source),
      sink: logs.open(source),
    }))
    if (leftovers.length > 0) log.warn({ instances: leftovers }, 'ended apps that a former run left behind')
    await files.open()
    await endAll(this.#parts, 'lost')
    this.#unsubscribe = store.changes.subscribe(change => this.#onChange(change))
    this.#loop.start().wake()
    this.#meter.start(this.#running)
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#meter.stop()
    await this.#loop.stop()
    await this.commands.close()
    await this.#charts.close()
    await Promise.all([this.#sizes.close(), this.#tasks.close()])
    await endAll(this.#parts, 'stopped')
    const apps = [...this.#running.values()]
    const { platform: because } = notes.stopped
    const stopping = Promise.all(apps.map(app => app.stop(because, lastGraceMs))).then(() => true)
    // A container engine that does not answer must not block the exit. The next start finds what is left.
    const isDone = await Promise.race([stopping, sleep(lastGraceMs + giveUpAfterMs, false, { ref: false })])
    if (isDone) await this.#parts.runtime.close()
    else this.#parts.log.error('not all apps could be stopped; the next start ends what is left')
  }

  look(): void {
    this.#loop.wake()
  }

  #onChange({ topic }: Change): void {
    if (irrelevant.has(topic)) return
    // The list of ready apps may have changed. Update it soon, once for many changes.
    if (topic !== 'app') this.#tidyAt = Math.min(this.#tidyAt, this.#parts.clock.now() + lookEveryMs)
    this.look()
  }

  async #reconcile(): Promise<void> {
    const { store, nodeId } = this.#parts
    await this.#tidy()
    const { rows } = await listActive(store.db, nodeId)
    for (const row of rows) await this.#attend(row)
    await this.#endUnknown(new Set(rows.map(row => row.id)))
    for (const row of (await listOutdated(store.db, nodeId)).rows)
      if (await this.#successors.request(row)) this.#running.get(row.id)?.note(notes.restarts)
    for (const app of this.#kept.values()) await this.#keepReady(app)
    await this.commands.endUnwanted()
    await this.#sizes.look(this.#writing())
  }

  /** The disks that apps write to, each with what ends the app. */
  #writing(): Map<string, () => void> {
    const writing = new Map<string, () => void>()
    const add = (id: string, end: () => void) => {
      const others = writing.get(id)
      writing.set(id, () => {
        others?.()
        end()
      })
    }
    for (const app of this.#running.values())
      if (app.diskId !== undefined) add(app.diskId, () => this.#endFull(app))
    for (const [id, end] of this.commands.writing()) add(id, end)
    return writing
  }

  async #attend(row: Instance & { deployment_status: string }): Promise<void> {
    const now = this.#parts.clock.now()
    const app = this.#running.get(row.id)
    app?.noteStatus(row.deployment_status, now)
    switch (row.state) {
      case 'wanted':
      case 'starting':
        if (
          !app &&
          isDue(row, now) &&
          this.#hasRoomFor(row) &&
          (row.node_id || (await claimInstance(this.#parts, row)))
        )
          this.#begin(row)
        break
      case 'ready':
        if (now - (app?.supersededAt ?? now) > drainAtMostMs) {
          if (app) app.stopsBecause = notes.stopped.superseded
          await retire(this.#parts, row.id, row.deployment_id)
        } else await this.#retireIdle(row, app, now)
        break
      case 'draining':
        if (app && isDrained(row, app.supersededAt, now)) this.#end(app, this.#whyDrained(app))
    }
  }

  async #retireIdle(
    row: Instance & { deployment_status: string },
    app: Supervisor | undefined,
    now: number,
  ): Promise<void> {
    const { idleMs } = this.#parts
    const isSuperseded = row.deployment_status === 'superseded'
    const idleLimit = isSuperseded ? Math.min(idleMs, supersededIdleMs) : idleMs
    if (now - row.used_at <= idleLimit) return
    // The list of ready apps may have changed, so run again.
    if (now >= this.#tidyAt) this.look()
    else if (!this.#kept.has(row.deployment_id) && (await retireIdle(this.#parts, row, idleLimit)) && app)
      app.stopsBecause = isSuperseded ? notes.stopped.superseded : notes.stopped.idle(idleLimit)
  }

  /** The reason for stopping an instance that this runner did not retire itself. */
  #whyDrained(app: Supervisor): string {
    const others = [...this.#running.values()].filter(other => other !== app && other.phase === 'up')
    return others.some(other => other.deploymentId === app.deploymentId)
      ? notes.stopped.replaced
      : notes.stopped.unreachable
  }

  #hasRoomFor({ project_id }: Instance): boolean {
    // Release commands may take minutes, so those of one project must not delay the starts of others.
    const all = [...this.#running.values()].filter(
      ({ phase }) => phase === 'starting' || phase === 'releasing',
    )
    const ofProject = all.filter(app => app.projectId === project_id)
    const starting = all.filter(app => app.phase === 'starting')
    return starting.length < startsAtOnce && ofProject.length < startsOfProject
  }

  #begin(row: Instance & { deployment_status: string }): void {
    const app = new Supervisor(this.#parts, this.#turns, row)
    app.noteStatus(row.deployment_status, this.#parts.clock.now())
    this.#running.set(row.id, app)
    app.ended
      .catch(error => this.#parts.log.error({ err: error, instance: row.id }, 'an app could not be run'))
      .then(() => this.#afterEnd(row, app.displaced))
      .catch(error =>
        this.#parts.log.error({ err: error, instance: row.id }, 'a crashed app was not restarted'),
      )
      .finally(() => {
        this.#running.delete(row.id)
        this.#successors.forget(row.id)
        this.look()
      })
  }

  /** Restarts an instance that crashed while in use, after a growing pause. Others start with the next request. */
  async #afterEnd(
    { id, project_id: projectId, deployment_id: deploymentId }: Instance,
    displaced: readonly string[],
  ): Promise<void> {
    if (this.#loop.isStopped) return
    const { store, clock, idleMs, log, logs } = this.#parts
    const row = await findInstance(store.db, id)
    // It had taken the disk of the live app and did not start, so that one comes back.
    if (row?.outcome === 'failed')
      for (const former of displaced)
        if (former !== deploymentId) await requestInstance(this.#parts, { projectId, deploymentId: former })
    if (row?.outcome !== 'crashed') return
    log.warn({ deployment: deploymentId, crashes: row.crashes + 1 }, 'an app crashed')
    if (row.draining_at !== null) return
    const restarts = clock.now() - row.used_at < idleMs
    const source = { projectId, deploymentId, instanceId: id }
    const pause = pauseAfter(crashesAfter(row, row.ended_at ?? clock.now()))
    // Write this note before the next instance writes anything.
    await logs.open(source).close(restarts ? notes.restartsIn(pause) : notes.startsWithNextRequest)
    if (restarts) await requestInstance(this.#parts, { projectId, deploymentId }, row)
  }

  #end(app: Supervisor, because: string, graceMs?: number): void {
    if (app.phase === 'stopping') return
    // The call that began the stop handles its error.
    app.stop(because, graceMs).catch(() => undefined)
  }

  #endFull(app: Supervisor): void {
    if (app.phase !== 'stopping') app.stopFull().catch(() => undefined)
  }

  /** Stops instances whose deployment was deleted, whose project was suspended, or whose row another process ended. */
  async #endUnknown(known: Set<string>): Promise<void> {
    for (const [id, app] of this.#running) {
      if (known.has(id) || app.phase === 'stopping') continue
      // Without a grace time: its open connections end at once.
      if (await suspensionOf(this.#parts.store.db, app.projectId)) this.#end(app, notes.stopped.suspended, 0)
      else this.#end(app, notes.stopped.deleted)
    }
  }

  async #tidy(): Promise<void> {
    const { platform, clock } = this.#parts
    if (clock.now() < this.#tidyAt) return
    this.#tidyAt = clock.now() + tidyEveryMs
    await endForgotten(this.#parts)
    await notifyOfSoundApps(platform)
    this.#kept = new Map((await listReadyApps(platform)).map(app => [app.deploymentId, app]))
    await this.#leftovers.remove(id => this.#isRunning(id))
    await this.#tasks.look()
  }

  #isRunning(deploymentId: string): boolean {
    for (const app of this.#running.values()) if (app.deploymentId === deploymentId) return true
    return this.commands.isRunning(deploymentId)
  }

  /** Starts an app that should be ready but is not, for example after a restart of svcd or a crash while idle. */
  async #keepReady(app: App): Promise<void> {
    const { ready, starting, ended } = await currentOf(this.#parts, app.deploymentId)
    if (!ready && !starting) await requestInstance(this.#parts, app, ended)
  }
}

function isDrained(
  { draining_at, used_at }: Instance,
  supersededAt: number | undefined,
  now: number,
): boolean {
  const since = draining_at ?? now
  if (now - since < hearingMs) return false
  if (used_at <= since || now - used_at > silenceMs) return true
  return now - (supersededAt ?? since) > drainAtMostMs && now - since > lastRequestsMs
}
