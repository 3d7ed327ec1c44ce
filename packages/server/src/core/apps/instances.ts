// The state machine of an instance: wanted → starting → ready → draining → ended.
import { newId } from '../../lib/ids.ts'
import { findGeneration } from '../../store/apps/generations.ts'
import {
  drainIdle,
  drainOthers,
  endAllOf,
  endForgottenStarts,
  findActive,
  findInstance,
  findLastEnded,
  insertInstance,
  moveInstance,
} from '../../store/apps/instances.ts'
import { isMissingReference } from '../../store/faults.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Changed, Store } from '../../store/store.ts'
import type { AppInstanceRow } from '../../store/tables.ts'
import type { App, AppAddress } from '../base/apps.ts'
import { suspensionOf } from '../base/suspension.ts'
import { diskPlaceFor } from '../disk/places.ts'
import { notifyOfCrash, soundAfterMs } from './crash-loops.ts'
import { enforceRunningLimits, lockLimitedOwner, type RunningLimits } from './running-limits.ts'

export type Instance = AppInstanceRow

/** The parts of the platform that the transitions need. */
export interface InstanceParts {
  store: Store
  clock: { now(): number }
  nodeId: string
  /** `undefined` in some tests: any number of apps may run. */
  bounds?: RunningLimits
  /** Whether this process runs apps. Then it claims the instance it requests at once, which saves a write. */
  runsApps: boolean
  /**
   * How this process reaches the apps of other nodes: at their own addresses, as in a swarm, or through the node that runs them.
   * `undefined`: not at all.
   */
  reachesOthers?: 'directly' | 'by node' | undefined
}

const longestPauseMs = 60_000
/** A start that is older than this and not finished belongs to a node that is gone. */
const forgottenAfterMs = 5 * 60_000

/** None before the first restart, then 1, 2, 4, … up to 60 seconds. */
export const pauseAfter = (crashes: number): number =>
  crashes <= 1 ? 0 : Math.min(longestPauseMs, 1000 * 2 ** (crashes - 2))

/** After an app was up for `soundAfterMs`, its next crash counts as the first. */
export const crashesAfter = (row: Instance, endedAt: number): number =>
  row.ready_at !== null && endedAt - row.ready_at >= soundAfterMs ? 1 : row.crashes + 1

/** A clock that was set back must not make a pause longer than the longest. */
export const isDue = ({ not_before }: Instance, now: number): boolean =>
  now >= not_before || not_before - now > longestPauseMs

/** Another deployment has the project's disk. */
interface Superseded {
  /** The one to which requests that came earlier are passed on. */
  successor: string | undefined
}

type Outcome = 'asked' | 'under way' | 'full' | 'gone' | 'suspended' | Superseded

/**
 * Requests an instance with this id, unless one is already starting or the project is suspended. `takesDisk`: a deploy or a
 * rollback asks, so that the instance which has the project's disk ends.
 */
export async function requestInstance(
  parts: InstanceParts,
  app: App,
  after?: Instance,
  id = newId('ins'),
  takesDisk = false,
): Promise<Outcome> {
  const { store, nodeId, runsApps } = parts
  const now = parts.clock.now()
  const bad = after?.outcome === 'failed' || after?.outcome === 'crashed'
  const crashes = bad ? crashesAfter(after, after.ended_at ?? now) : 0
  const row: Instance = {
    id,
    project_id: app.projectId,
    deployment_id: app.deploymentId,
    state: runsApps ? 'starting' : 'wanted',
    outcome: null,
    error: null,
    node_id: runsApps ? nodeId : null,
    host: null,
    port: null,
    app_port: null,
    generation: 0,
    crashes,
    disk_id: null,
    takes_disk: 0,
    // 0 instead of now, because the clock of the node that starts it may be behind.
    not_before: bad ? (after.ended_at ?? now) + pauseAfter(crashes) : 0,
    created_at: now,
    used_at: now,
    ready_at: null,
    draining_at: null,
    ended_at: null,
    memory_bytes: null,
    cpu_millicores: null,
  }
  try {
    return await store.transact(async (tx, changed) => {
      if (parts.bounds) await lockLimitedOwner(parts.bounds, tx, app)
      // A suspension that is under way ends the instance, or is seen here.
      if (!(await lockProject(tx, app.projectId))) return 'gone'
      if (await suspensionOf(tx, app.projectId)) return 'suspended'
      const place = await diskPlaceFor(tx, { ...app, takesDisk, plans: parts.bounds?.plans }, now)
      if (place?.publication === 'superseded') return { successor: place.successor }
      if (place) {
        const { id: disk_id, node_id } = place.disk
        Object.assign(row, { disk_id, takes_disk: takesDisk ? 1 : 0 })
        // Its files are on one node, which is the first one that runs it.
        if (node_id !== '') Object.assign(row, { node_id, state: 'starting' })
      }
      if (parts.bounds && !(await enforceRunningLimits(parts.bounds, { tx, changed, nodeId }, app)))
        return 'full'
      row.generation = await findGeneration(tx, app.projectId)
      if (!(await insertInstance(tx, row))) return 'under way'
      await announceChange(changed, row.deployment_id)
      return 'asked'
    })
  } catch (error) {
    if (isMissingReference(error)) return 'gone'
    throw error
  }
}

/** Claims a wanted instance for this node. Returns false if another node was faster. */
export const claimInstance = ({ store, nodeId }: InstanceParts, { id }: Instance): Promise<boolean> =>
  moveInstance(store.db, id, ['wanted'], { state: 'starting', node_id: nodeId })

/** The instance accepts connections. Other instances of its deployment on this node drain. Returns false if it is no longer wanted. */
export function becomeReady(
  { store, clock, nodeId }: InstanceParts,
  row: Instance,
  address: AppAddress,
): Promise<boolean> {
  const now = clock.now()
  return store.transact(async (tx, changed) => {
    const { host, port, appPort = port } = address
    const facts = { host, port, app_port: appPort, ready_at: now, used_at: now }
    if (!(await moveInstance(tx, row.id, ['starting'], { state: 'ready', ...facts }))) return false
    await drainOthers(tx, { ...row, node_id: nodeId }, now)
    await announceChange(changed, row.deployment_id)
    return true
  })
}

export function endInstance(
  { store, clock }: InstanceParts,
  row: Instance,
  outcome: 'stopped' | 'failed' | 'crashed',
  error: string | null = null,
): Promise<boolean> {
  const to = { state: 'ended', outcome, error, ended_at: clock.now() } as const
  return store.transact(async (tx, changed) => {
    if (!(await moveInstance(tx, row.id, ['wanted', 'starting', 'ready', 'draining'], to))) return false
    if (outcome === 'crashed')
      await notifyOfCrash(tx, row, {
        crashes: crashesAfter((await findInstance(tx, row.id)) ?? row, to.ended_at),
        error,
        now: to.ended_at,
      })
    await announceChange(changed, row.deployment_id)
    return true
  })
}

/** Drains an idle instance, unless it was used in the meantime. */
export function retireIdle({ store, clock }: InstanceParts, row: Instance, idleMs: number): Promise<boolean> {
  const now = clock.now()
  return store.transact(async (tx, changed) => {
    if (!(await drainIdle(tx, row.id, now - idleMs, now))) return false
    await announceChange(changed, row.deployment_id)
    return true
  })
}

/** Drains an instance even if it is in use. The next request starts another. */
export function retire(
  { store, clock }: Pick<InstanceParts, 'store' | 'clock'>,
  id: string,
  deploymentId: string,
): Promise<void> {
  const to = { state: 'draining', draining_at: clock.now() } as const
  return store.transact(async (tx, changed) => {
    if (await moveInstance(tx, id, ['ready'], to)) await announceChange(changed, deploymentId)
  })
}

/** Ends starts of lost nodes, so that other nodes can start the same app. */
export function endForgotten({ store, clock, nodeId }: InstanceParts): Promise<void> {
  const now = clock.now()
  return store.transact(async (tx, changed) => {
    for (const id of await endForgottenStarts(tx, nodeId, now - forgottenAfterMs, now))
      await announceChange(changed, id)
  })
}

/** Ends all instances of this node in the database, after svcd was killed or before it stops. */
export function endAll(
  { store, clock, nodeId }: InstanceParts,
  outcome: 'lost' | 'stopped',
): Promise<string[]> {
  return store.transact(async (tx, changed) => {
    const deployments = await endAllOf(tx, nodeId, outcome, clock.now())
    for (const id of deployments) await announceChange(changed, id)
    return deployments
  })
}

/**
 * The instances of a deployment for this node: a ready one, a starting one, or the one that ended last. A node that runs no
 * apps takes a ready one of another node if it can reach it.
 */
export async function currentOf(
  parts: Pick<InstanceParts, 'store' | 'nodeId'> & Partial<InstanceParts>,
  deploymentId: string,
): Promise<{ ready?: Instance; elsewhere?: Instance; starting?: Instance; ended?: Instance }> {
  const { store, nodeId, runsApps, reachesOthers } = parts
  const { rows } = await findActive(store.db, deploymentId)
  // Except in a swarm, an address is only valid on its own machine. Elsewhere it may belong to another app.
  const takesAny = reachesOthers !== undefined && runsApps === false
  const isReady = (row: Instance) => row.state === 'ready'
  const ready =
    rows.find(row => isReady(row) && row.node_id === nodeId) ??
    // With a disk, it runs on the machine of the disk alone.
    rows.find(row => isReady(row) && (takesAny || (row.disk_id !== null && reachesOthers !== undefined)))
  if (ready) return { ready }
  const starting = rows.find(row => row.state === 'wanted' || row.state === 'starting')
  if (starting) return { starting }
  const elsewhere = rows.find(row => row.state === 'ready')
  if (elsewhere) return { elsewhere }
  const ended = (await findLastEnded(store.db, deploymentId)).rows[0]
  return ended ? { ended } : {}
}

/** Where this process reaches an instance that is ready. */
export function addressOf(
  { nodeId, reachesOthers }: Pick<InstanceParts, 'nodeId' | 'reachesOthers'>,
  { host, port, app_port, node_id }: Instance,
): AppAddress {
  const isRemote = reachesOthers === 'by node' && node_id !== null && node_id !== nodeId
  const own = { host: host ?? '', port: port ?? 0, appPort: app_port ?? port ?? 0 }
  return isRemote ? { ...own, node: node_id } : own
}

const announceChange = (changed: Changed, deploymentId: string): Promise<void> =>
  changed({ topic: 'app', key: deploymentId })
