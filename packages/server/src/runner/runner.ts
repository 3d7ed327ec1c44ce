// The runner: compares what the rows want with what runs here, and makes it so. It can be killed at any moment.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { App } from '../core/apps/apps.ts'
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
import type { Platform } from '../core/platform/platform.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import type { Change } from '../ports/changes/port.ts'
import { findInstance, listActive, listOutdated } from '../store/apps/instances.ts'
import { servedAmong } from '../store/deployments/deployments.ts'
import { notes } from './notes.ts'
import { Supervisor, type SupervisorParts } from './supervisor.ts'

export interface RunnerParts extends SupervisorParts {
  platform: Platform
  idleMs: number
  log: Logger
}

/** A restart begins when the variables have not changed for this long: several changes in a row are one restart. */
const settleMs = 1_000
/** Without a change, rows are looked at this often: idle apps and missed changes are found by it. */
const lookEveryMs = 1_000
/** Starts under way at the same time, and of these of one project; the others wait. */
const startsAtOnce = 16
const startsOfProject = 4
/** For an app that another deployment has taken the place of: visitors who still know it, and permanent addresses. */
const supersededIdleMs = 30_000
/** Edges hear within this time that an instance is not to be used any more. */
const hearingMs = 1_000
/** An edge that still uses it says so at least this often. */
const silenceMs = 6_000
/** However long requests and WebSockets take, an instance whose place was taken is left alone after this … */
const drainAtMostMs = 5 * 60_000
/** … and what came to it until then has this long. */
const lastRequestsMs = 30_000
/** Which apps are kept ready, and whose files are not needed any more, is looked up this often. */
const tidyEveryMs = 30_000
/** At the end of the program; what is left is then killed. */
const lastGraceMs = 1_500
const giveUpAfterMs = 5_000

export class Runner {
  readonly #parts: RunnerParts
  readonly #running = new Map<string, Supervisor>()
  /** By instance: the generation for which a successor was asked for. One that fails is not tried again. */
  readonly #succeededFor = new Map<string, number>()
  /** By instance: the generation that it lacks, and since when that is known. */
  readonly #outdated = new Map<string, { generation: number; since: number }>()
  /** By deployment: those that are never stopped. */
  #kept = new Map<string, App>()
  #tidyAt = 0
  readonly #loop: ReconcileLoop
  #unsubscribe: () => void = () => undefined

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#loop = new ReconcileLoop({
      reconcile: () => this.#reconcile(),
      onError: err => parts.log.error({ err }, 'the runner could not compare what runs with what should'),
      everyMs: lookEveryMs,
    })
  }

  async start(): Promise<void> {
    const { runtime, files, log, logs, store } = this.#parts
    const { words, warnings } = await runtime.check()
    log.info({ driver: runtime.driver, found: words }, 'server apps run here')
    for (const warning of warnings) log.warn(warning)
    const leftovers = await runtime.endLeftovers(async source => ({
      after: await logs.lastOf(source),
      sink: logs.open(source),
    }))
    if (leftovers.length > 0) log.warn({ instances: leftovers }, 'ended apps that a former run left behind')
    await files.open()
    await endAll(this.#parts, 'lost')
    this.#unsubscribe = store.changes.subscribe(change => this.#onChange(change))
    this.#loop.start().wake()
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#loop.stop()
    await endAll(this.#parts, 'stopped')
    const apps = [...this.#running.values()]
    const { platform: because } = notes.stopped
    const stopping = Promise.all(apps.map(app => app.stop(because, lastGraceMs))).then(() => true)
    // An engine that does not answer must not keep the program from ending; the next one finds what is left.
    const isDone = await Promise.race([stopping, sleep(lastGraceMs + giveUpAfterMs, false, { ref: false })])
    if (isDone) await this.#parts.runtime.close()
    else this.#parts.log.error('not all apps could be stopped; the next start ends what is left')
  }

  look(): void {
    this.#loop.wake()
  }

  #onChange({ topic }: Change): void {
    if (topic === 'domain' || topic === 'log') return
    // Another deployment may be the one to keep ready. Soon is enough, and once for many changes.
    if (topic !== 'app') this.#tidyAt = Math.min(this.#tidyAt, this.#parts.clock.now() + lookEveryMs)
    this.look()
  }

  async #reconcile(): Promise<void> {
    const { store, nodeId } = this.#parts
    await this.#tidy()
    const { rows } = await listActive(store.db, nodeId)
    for (const row of rows) await this.#attend(row)
    this.#endUnknown(new Set(rows.map(row => row.id)))
    for (const row of (await listOutdated(store.db, nodeId)).rows) await this.#replace(row)
    for (const app of this.#kept.values()) await this.#keepReady(app)
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
    // Which apps are kept ready may have changed: the next look knows.
    if (now >= this.#tidyAt) this.look()
    else if (!this.#kept.has(row.deployment_id) && (await retireIdle(this.#parts, row, idleLimit)) && app)
      app.stopsBecause = isSuperseded ? notes.stopped.superseded : notes.stopped.idle(idleLimit)
  }

  /** Of one that this runner did not retire itself. */
  #whyDrained(app: Supervisor): string {
    const others = [...this.#running.values()].filter(other => other !== app && other.phase === 'up')
    return others.some(other => other.deploymentId === app.deploymentId)
      ? notes.stopped.replaced
      : notes.stopped.unreachable
  }

  #hasRoomFor({ project_id }: Instance): boolean {
    const starting = [...this.#running.values()].filter(app => app.phase === 'starting')
    const ofProject = starting.filter(app => app.projectId === project_id)
    return starting.length < startsAtOnce && ofProject.length < startsOfProject
  }

  #begin(row: Instance & { deployment_status: string }): void {
    const app = new Supervisor(this.#parts, row)
    app.noteStatus(row.deployment_status, this.#parts.clock.now())
    this.#running.set(row.id, app)
    app.ended
      .catch(error => this.#parts.log.error({ err: error, instance: row.id }, 'an app could not be run'))
      .then(() => this.#afterEnd(row))
      .catch(error =>
        this.#parts.log.error({ err: error, instance: row.id }, 'a crashed app was not restarted'),
      )
      .finally(() => {
        this.#running.delete(row.id)
        this.#succeededFor.delete(row.id)
        this.#outdated.delete(row.id)
        this.look()
      })
  }

  /** One that crashed while it was in use is started again, after a pause that grows; the next request starts others. */
  async #afterEnd({ id, project_id: projectId, deployment_id: deploymentId }: Instance): Promise<void> {
    if (this.#loop.isStopped) return
    const { store, clock, idleMs, log, logs } = this.#parts
    const row = await findInstance(store.db, id)
    if (row?.outcome !== 'crashed') return
    log.warn({ deployment: deploymentId, crashes: row.crashes + 1 }, 'an app crashed')
    if (row.draining_at !== null) return
    const restarts = clock.now() - row.used_at < idleMs
    const source = { projectId, deploymentId, instanceId: id }
    const pause = pauseAfter(crashesAfter(row, row.ended_at ?? clock.now()))
    // Said before the next instance writes anything.
    await logs.open(source).close(restarts ? notes.restartsIn(pause) : notes.startsWithNextRequest)
    if (restarts) await requestInstance(this.#parts, { projectId, deploymentId }, row)
  }

  #end(app: Supervisor, because: string): void {
    if (app.phase === 'stopping') return
    // Its failure is told where it was begun.
    app.stop(because).catch(() => undefined)
  }

  /** Of deployments that were deleted, and of rows that another program ended. */
  #endUnknown(known: Set<string>): void {
    for (const [id, app] of this.#running) if (!known.has(id)) this.#end(app, notes.stopped.deleted)
  }

  /** The new one takes the old one's place when it is ready; until then, and if it never is, the old one stays. */
  async #replace(row: Instance & { wanted_generation: number }): Promise<void> {
    const { id, project_id: projectId, deployment_id: deploymentId, wanted_generation: generation } = row
    if (this.#succeededFor.get(id) === generation || !this.#hasSettled(id, generation)) return
    // One that is under way may have read the values of before; when that is over, the next look asks again.
    if ((await requestInstance(this.#parts, { projectId, deploymentId })) !== 'asked') return
    this.#succeededFor.set(id, generation)
    this.#running.get(id)?.note(notes.restarts)
  }

  #hasSettled(instanceId: string, generation: number): boolean {
    const known = this.#outdated.get(instanceId)
    if (known?.generation === generation) return performance.now() - known.since >= settleMs
    this.#outdated.set(instanceId, { generation, since: performance.now() })
    // A timer may be a little early.
    setTimeout(() => this.look(), settleMs + 10).unref()
    return false
  }

  async #tidy(): Promise<void> {
    const { platform, files, clock, store } = this.#parts
    if (clock.now() < this.#tidyAt) return
    this.#tidyAt = clock.now() + tidyEveryMs
    await endForgotten(this.#parts)
    this.#kept = new Map((await listReadyApps(platform)).map(app => [app.deploymentId, app]))
    const here = await files.list()
    const served = await servedAmong(store.db, here)
    for (const id of here) if (!served.has(id)) await files.remove(id, () => this.#isRunning(id))
  }

  #isRunning(deploymentId: string): boolean {
    for (const app of this.#running.values()) if (app.deploymentId === deploymentId) return true
    return false
  }

  /** It may have been stopped with the platform, or crashed while nobody used it. */
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
