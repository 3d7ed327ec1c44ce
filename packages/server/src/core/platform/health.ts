// Whether the platform can do its work: the database and the storage answer.
import { Fault } from '../../lib/fault.ts'
import type { LateStart, Platform } from '../base/platform.ts'

type Checked = Pick<Platform, 'lateStart' | 'packs' | 'store'>

interface Health {
  underWay: Promise<void> | undefined
  soundAt: number
}

/** Balancers and monitors wait a second for an answer. */
const answerMs = 800
/** A check that takes longer than `answerMs` is answered by the last one, if that is not older. */
const soundMs = 5_000
/** A node that has not been told of changes for this long serves what may be old. */
const lagMs = 30_000

const healthOf = new WeakMap<Checked['store'], Health>()

/**
 * Throws if a part does not answer, always within a second. Anybody may ask, and a check writes a file or asks S3, so those who
 * ask at the same time share one check.
 */
export async function checkHealth(platform: Checked): Promise<void> {
  const { lateStart, store } = platform
  if (lateStart?.isOver === false) throw awaitsDatabase(lateStart)
  const health = healthOf.get(store) ?? { underWay: undefined, soundAt: 0 }
  healthOf.set(store, health)
  health.underWay ??= checkParts(platform)
    .then(() => {
      health.soundAt = Date.now()
    })
    .finally(() => {
      health.underWay = undefined
    })
  // A check that is answered late may fail when nobody waits for it any more.
  health.underWay.catch(() => undefined)
  await Promise.race([health.underWay, after(answerMs, () => requireRecent(health))])
}

/** Throws also if this node knows that what it serves may be old. */
export async function checkReadiness(platform: Checked): Promise<void> {
  await checkHealth(platform)
  if (platform.store.changes.lagMs() > lagMs)
    throw new Fault('unavailable', 'The database does not confirm what this node has in memory.', {
      retryAfter: 5,
    })
}

const awaitsDatabase = ({ waitedMs }: LateStart): Fault =>
  new Fault(
    'unavailable',
    `The database does not answer. This node started without it ${Math.round(waitedMs / 1000)} s ago, and serves sites as it last knew them.`,
    { retryAfter: 5 },
  )

async function checkParts({ store, packs }: Checked): Promise<void> {
  const checks = { database: () => store.check(), storage: () => packs.check() }
  for (const [part, check] of Object.entries(checks))
    await check().catch((cause: unknown) => {
      throw new Fault('unavailable', `The ${part} does not answer.`, { cause, retryAfter: 5 })
    })
}

function requireRecent({ soundAt }: Health): void {
  if (Date.now() - soundAt > soundMs)
    throw new Fault('unavailable', 'The database or the storage does not answer.', { retryAfter: 5 })
}

async function after<T>(ms: number, work: () => T): Promise<T> {
  await new Promise(resolve => setTimeout(resolve, ms).unref())
  return work()
}
