// Handles webhook deliveries of GitHub, and reports builds to git hosts as statuses and comments. Each of these three queues
// retries with growing pauses, and none of them blocks another.
import type { Logger } from 'pino'
import type { BuildParts, Platform } from '../core/base/platform.ts'
import { handleEvent } from '../core/builds/github/deliveries.ts'
import type { GitHubEvent } from '../core/builds/github/events.ts'
import { writeComment } from '../core/builds/github/reports.ts'
import { tellStatus } from '../core/builds/remote-reports.ts'
import { Fault } from '../lib/fault.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import { GitHostError, type GitHostErrorKind } from '../ports/git-hosts/port.ts'
import { GitHubError, type GitHubErrorKind } from '../ports/github/port.ts'
import { findBuild } from '../store/builds/builds.ts'
import { claimDelivery, finishDelivery, retryDelivery } from '../store/builds/github/deliveries.ts'
import { claimPull, claimReport, noteTold, retryReport, updatePull } from '../store/builds/github/reports.ts'

const lookEveryMs = 2_000
/** How long one item stays claimed. Longer than all its requests can take. */
const claimMs = 5 * 60_000
const firstPauseMs = 5_000
const longestPauseMs = 15 * 60_000
/** With the pauses above, this is about a day. */
const attemptsAtMost = 100

/** Errors that a retry cannot fix. A rejected token is not among them, because the next attempt gets a new one. */
const finalKinds: readonly (GitHubErrorKind | GitHostErrorKind)[] = ['missing', 'refused', 'suspended']

/** When to retry. `undefined` to give up. */
function nextTry(error: unknown, attempts: number, now: number): number | undefined {
  const isOfHost = error instanceof GitHubError || error instanceof GitHostError
  const isFinal = isOfHost && finalKinds.includes(error.kind)
  if (isFinal || attempts >= attemptsAtMost) return undefined
  const pause = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 20), longestPauseMs)
  const asked = error instanceof GitHubError ? (error.retryAt ?? 0) : 0
  return Math.max(now + pause, asked)
}

type QueueParts = BuildParts & Pick<Platform, 'domain' | 'urls'>

/** Handles one item. Returns false if none is due. */
type Queue = (platform: QueueParts, log: Logger) => Promise<boolean>

const deliveries: Queue = async (platform, log) => {
  const { store, clock } = platform
  const delivery = await claimDelivery(store.db, clock.now(), clock.now() + claimMs)
  if (!delivery) return false
  try {
    await handleEvent(platform, JSON.parse(delivery.event) as GitHubEvent)
    await finishDelivery(store.db, delivery.id)
  } catch (err) {
    const again = nextTry(causeOf(err), delivery.attempts, clock.now())
    log[again ? 'warn' : 'error']({ err, delivery: delivery.id }, 'could not handle an event of GitHub')
    if (again) await retryDelivery(store.db, delivery.id, again)
    else await finishDelivery(store.db, delivery.id)
  }
  return true
}

const reports: Queue = async (platform, log) => {
  const { store, clock } = platform
  const report = await claimReport(store.db, clock.now(), clock.now() + claimMs)
  if (!report) return false
  const { build_id: id } = report
  try {
    const told = await tellStatus(platform, report)
    await noteTold(store.db, id, told ?? (await currentStatus(platform, id)), clock.now())
  } catch (err) {
    const again = nextTry(causeOf(err), report.attempts, clock.now())
    log[again ? 'debug' : 'warn']({ err, build: id }, 'could not report a build to its git host')
    if (again) await retryReport(store.db, id, again)
    else await noteTold(store.db, id, await currentStatus(platform, id), clock.now())
  }
  return true
}

const currentStatus = async ({ store }: Pick<Platform, 'store'>, buildId: string): Promise<string> =>
  (await findBuild(store.db, buildId))?.status ?? ''

const comments: Queue = async (platform, log) => {
  const { store, clock } = platform
  const pull = await claimPull(store.db, clock.now(), clock.now() + claimMs)
  if (!pull) return false
  try {
    await writeComment(platform, pull)
    await updatePull(store.db, pull, { next_at: 0, attempts: 0 })
  } catch (err) {
    const again = nextTry(causeOf(err), pull.attempts, clock.now())
    log[again ? 'debug' : 'warn']({ err, pull: pull.number }, 'could not comment on a pull request')
    await updatePull(store.db, pull, again ? { is_stale: 1, next_at: again } : { next_at: 0, attempts: 0 })
  }
  return true
}

/** The error of GitHub behind a Fault, which has the message for users. */
const causeOf = (error: unknown): unknown => (error instanceof Fault && error.cause ? error.cause : error)

export function keepGitHostsInStep(platform: QueueParts, log: Logger): { stop(): Promise<void> } {
  const queues = platform.github ? [deliveries, reports, comments] : [reports]
  const loops = queues.map(queue => drainRegularly(queue, platform, log))
  const wake = () => {
    for (const loop of loops) loop.wake()
  }
  const unsubscribe = platform.store.changes.subscribe(change => {
    if (change.topic === 'build' || change.topic === 'everything') wake()
  })
  wake()
  return {
    async stop() {
      unsubscribe()
      const stopped = loops.map(loop => loop.stop())
      // Aborted requests are repeated after the next start.
      platform.github?.endRequests()
      platform.gitHosts.endRequests()
      await Promise.all(stopped)
    },
  }
}

function drainRegularly(queue: Queue, platform: QueueParts, log: Logger): ReconcileLoop {
  return new ReconcileLoop({
    async reconcile(stopping) {
      while (!stopping.aborted && (await queue(platform, log)));
    },
    onError: err => log.error({ err }, 'cannot read the queues of work for git hosts'),
    intervalMs: lookEveryMs,
  }).start()
}
