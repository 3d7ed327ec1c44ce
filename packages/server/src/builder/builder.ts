// The builder: runs builds from the queue, a few at a time, and records how each ended.
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Rows } from '../core/base/platform.ts'
import { notify } from '../core/notifications/notify.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import { removeTree } from '../lib/remove-tree.ts'
import {
  abandonedBuilds,
  appendBuildLog,
  buildLogEnd,
  findBuild,
  hasLaterInQueue,
  leaveBuild,
  renewLease,
} from '../store/builds/builds.ts'
import { claimBuild } from '../store/builds/queue.ts'
import { projectsAmong } from '../store/projects/projects.ts'
import type { BuildRow } from '../store/tables.ts'
import { type BuilderParts, BuildFailed } from './job.ts'
import { NotWanted } from './publish.ts'
import { isPassing, nextRetry } from './retries.ts'
import { type BuildDirs, isExpected, newBuildDirs, removeBuildDirs, runBuild, wordsOf } from './run.ts'

const leaseMs = 60_000
const renewEveryMs = 10_000
const lookEveryMs = 5_000
/** A build whose builder was killed is tried once more. */
const attemptsAtMost = 2
/** How often, and after which pause, the end of a build is written again while the database does not answer. */
const writeTries = 60
const writeAgainMs = 1_000

interface BuilderSettings extends BuilderParts {
  atOnce: number
  timeLimitMs: number
  log: Logger
}

interface RunningBuild {
  build: BuildRow
  stop: AbortController
  done: Promise<void>
}

export class Builder {
  readonly #settings: BuilderSettings
  readonly #running = new Map<string, RunningBuild>()
  readonly #loop: ReconcileLoop
  #unsubscribe: (() => void) | undefined

  constructor(settings: BuilderSettings) {
    this.#settings = settings
    this.#loop = new ReconcileLoop({
      reconcile: () => this.#fill(),
      onError: err => settings.log.error({ err }, 'the queue of builds cannot be read'),
      intervalMs: lookEveryMs,
    })
  }

  async start(): Promise<void> {
    const { platform, dir, cache } = this.#settings
    await mkdir(dir, { recursive: true, mode: 0o700 })
    // Remove files that a killed builder of this node left behind.
    for (const name of await readdir(dir))
      if (name !== 'cache' || !cache) await removeTree(path.join(dir, name))
    for (const build of await abandonedBuilds(platform.store.db, { nodeId: platform.nodeId }))
      await this.#release(build)
    await this.#forgetProjects()
    this.#unsubscribe = platform.store.changes.subscribe(change => {
      if (change.topic !== 'build' && change.topic !== 'everything') return
      for (const { build, stop } of this.#running.values())
        if (change.topic === 'everything' || change.key === build.id) void this.#renew(build, stop)
      this.#loop.wake()
    })
    this.#loop.start().wake()
  }

  /** Puts running builds back into the queue for the next builder. */
  async stop(): Promise<void> {
    this.#unsubscribe?.()
    await this.#loop.stop()
    for (const { stop } of this.#running.values()) stop.abort(stopping)
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #fill(): Promise<void> {
    const { platform, atOnce } = this.#settings
    const now = platform.clock.now()
    for (const build of await abandonedBuilds(platform.store.db, { now }))
      if (!this.#running.has(build.id)) await this.#release(build)
    while (this.#running.size < atOnce && !this.#loop.isStopped) {
      const claim = { nodeId: platform.nodeId, now, leaseUntil: now + leaseMs }
      const build = await claimBuild(platform.store.db, claim)
      if (!build) break
      await this.#announce(build)
      this.#begin(build)
    }
  }

  /** Removes the cache archives of deleted projects. */
  async #forgetProjects(): Promise<void> {
    const { cache, platform } = this.#settings
    await cache?.forgetProjects(ids => projectsAmong(platform.store.db, ids))
  }

  #begin(build: BuildRow): void {
    const { log } = this.#settings
    const stop = new AbortController()
    const dirs = newBuildDirs(this.#settings, build)
    // The build counts as finished before its files are removed. The next build waits for that, since it needs the disk space.
    const done = this.#build(build, dirs, stop)
      .catch(err => log.error({ err, build: build.id }, 'a build could not be ended'))
      .then(() => removeBuildDirs(dirs))
      .then(() => this.#forgetProjects())
      .catch(err => log.error({ err, build: build.id }, 'the files of a build could not be removed'))
      .finally(() => {
        this.#running.delete(build.id)
        this.#loop.wake()
      })
    this.#running.set(build.id, { build, stop, done })
  }

  async #build(build: BuildRow, dirs: BuildDirs, stop: AbortController): Promise<void> {
    const { timeLimitMs, log } = this.#settings
    const limit = setTimeout(() => stop.abort(tooLong(timeLimitMs)), timeLimitMs)
    const renewing = setInterval(() => void this.#renew(build, stop), renewEveryMs)
    try {
      const error = await runBuild(this.#settings, build, dirs, stop.signal).then(
        () => undefined,
        (error: unknown) => error ?? new Error('a build failed without an error'),
      )
      clearTimeout(limit)
      if (error !== undefined && !stop.signal.aborted && !isExpected(error))
        log.error({ err: error, build: build.id }, 'a build failed')
      await this.#untilWritten(() => this.#end(build, stop.signal, error))
    } finally {
      clearTimeout(limit)
      clearInterval(renewing)
    }
    await this.#announce(build)
  }

  /** Records how the build ended, or queues it again. */
  async #end(build: BuildRow, { reason }: AbortSignal, error: unknown): Promise<void> {
    const { platform } = this.#settings
    const finished = (end: Pick<BuildRow, 'status'> & Partial<Pick<BuildRow, 'error'>>) =>
      leave(platform, build, { ...end, finished_at: platform.clock.now() })
    if (error === undefined) return await finished({ status: 'succeeded', error: null })
    if (reason === stopping) return await this.#release(build)
    // The request that cancelled the build has recorded the reason.
    if (reason === cancelled || error instanceof NotWanted) return await finished({ status: 'cancelled' })
    if (reason instanceof BuildFailed) return await finished({ status: 'failed', error: reason.message })
    // If the deployment is online already, the build has succeeded despite a later error.
    const isOnline = (await findBuild(platform.store.db, build.id))?.deployment_id != null
    if (isOnline) return await finished({ status: 'succeeded' })
    const retry = isPassing(error) ? nextRetry(build) : undefined
    if (retry) await tryLater(platform, build, retry)
    else await finished({ status: 'failed', error: wordsOf(error) })
  }

  /** While the database does not answer, tries again. In the end the lease of the build expires, and a builder takes it up. */
  async #untilWritten(write: () => Promise<void>): Promise<void> {
    for (let triesLeft = writeTries; ; triesLeft--)
      try {
        return await write()
      } catch (error) {
        if (!isPassing(error) || this.#loop.isStopped || triesLeft === 0) throw error
        await sleep(writeAgainMs)
      }
  }

  async #announce({ id }: BuildRow): Promise<void> {
    await this.#settings.platform.store.transact(async (_tx, changed) => changed({ topic: 'build', key: id }))
  }

  /** Renews the lease of the build. Stops the build if it was cancelled or another builder took it over. */
  async #renew(build: BuildRow, stop: AbortController): Promise<void> {
    const { platform, log } = this.#settings
    try {
      const lease = await renewLease(platform.store.db, build, platform.clock.now() + leaseMs)
      if (!lease.isOurs || lease.isCancelled) stop.abort(cancelled)
    } catch (err) {
      log.warn({ err, build: build.id }, 'a build could not be looked after')
    }
  }

  /** Queues a build again, or fails it, after its builder stopped or was killed. */
  async #release(seen: BuildRow): Promise<void> {
    const { platform } = this.#settings
    const build = await findBuild(platform.store.db, seen.id)
    // Another builder may have released the build, and a third may have started it.
    if (build?.attempts !== seen.attempts) return
    await leave(platform, seen, afterBuilder(build, this.#loop.isStopped, platform.clock.now()))
    await this.#announce(seen)
  }
}

/** Ends the build or queues it again. In the same transaction, people are told of a failure. */
async function leave(
  { store, clock }: Rows,
  build: BuildRow,
  to: Parameters<typeof leaveBuild>[2],
): Promise<void> {
  await store.transact(async tx => {
    if (!(await leaveBuild(tx, build, to)) || to.status !== 'failed') return
    await notify(tx, clock.now(), {
      event: 'build.failed',
      projectId: build.project_id,
      subject: build.id,
      words: `the build of the branch ${build.branch} failed.`,
      error: to.error ?? null,
      facts: { branch: build.branch, commit: build.commit_sha },
      page: `/git/${build.id}`,
    })
  })
}

/** Puts a build that the platform failed back into the queue. Its log says so. */
async function tryLater(
  { store, clock }: Rows,
  build: BuildRow,
  { pauseMs, words }: { pauseMs: number; words: string },
): Promise<void> {
  const now = clock.now()
  await store.transact(async tx => {
    if ((await findBuild(tx, build.id))?.cancel_requested === 1)
      return void (await leaveBuild(tx, build, { status: 'cancelled', finished_at: now }))
    if (await hasLaterInQueue(tx, build))
      return void (await leaveBuild(tx, build, { status: 'cancelled', finished_at: now, error: replaced }))
    const waiting = { retries: build.retries + 1, retry_at: now + pauseMs }
    if (!(await leaveBuild(tx, build, { status: 'queued', finished_at: null, ...waiting }))) return
    const at = await buildLogEnd(tx, build.id)
    const bytes = Buffer.byteLength(words)
    await appendBuildLog(tx, { build_id: build.id, at, bytes, text: words, written_at: now })
  })
}

function afterBuilder(build: BuildRow, inGoodOrder: boolean, now: number) {
  const { attempts } = build
  if (build.deployment_id !== null) return { status: 'succeeded' as const, finished_at: now }
  if (build.cancel_requested === 1) return { status: 'cancelled' as const, finished_at: now }
  if (attempts - build.retries >= attemptsAtMost && !inGoodOrder)
    return { status: 'failed' as const, finished_at: now, error: stoppedTwice }
  // If the builder was stopped normally, this attempt does not count.
  return { status: 'queued' as const, finished_at: null, attempts: inGoodOrder ? attempts - 1 : attempts }
}

const replaced = 'A newer build of this branch was queued.'
const stoppedTwice = 'The builder stopped twice during this build. Start it again: svc git build'
const stopping = new Error('the builder stops')
const cancelled = new Error('the build was cancelled')
function tooLong(limitMs: number): BuildFailed {
  const minutes = limitMs / 60_000
  return new BuildFailed(`The build took longer than ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`)
}
