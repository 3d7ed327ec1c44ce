// The life of an instance as moves between rows: wanted → starting → ready → draining → ended.
import { newId } from '../../lib/ids.ts'
import {
  drainIdle,
  drainOthers,
  endAllOf,
  endForgottenStarts,
  findActive,
  findLastEnded,
  insertInstance,
  moveInstance,
} from '../../store/apps/instances.ts'
import { isMissingReference } from '../../store/faults.ts'
import type { Changed, Store } from '../../store/store.ts'
import type { AppInstanceRow } from '../../store/tables.ts'
import type { App, AppAddress } from './apps.ts'
import { enforceRunningLimits, type RunningLimits } from './running-limits.ts'

export type Instance = AppInstanceRow

/** What the moves need of the platform. */
export interface InstanceParts {
  store: Store
  clock: { now(): number }
  nodeId: string
  /** Undefined in tests of the rest: any number of apps may run. */
  bounds?: RunningLimits
  /** Whether this program runs apps: then it takes what it wants itself, and a start is one write shorter. */
  runsApps: boolean
}

/** How long an app must have been up for its next crash to count as the first. */
const soundAfterMs = 60_000
const longestPauseMs = 60_000
/** A start that was asked for this long ago, and is not over, is one of a node that is gone. */
const forgottenAfterMs = 5 * 60_000

/** None before the first restart, then 1, 2, 4, … up to 60 seconds. */
export const pauseAfter = (crashes: number): number =>
  crashes <= 1 ? 0 : Math.min(longestPauseMs, 1000 * 2 ** (crashes - 2))

export const crashesAfter = (row: Instance, endedAt: number): number =>
  row.ready_at !== null && endedAt - row.ready_at >= soundAfterMs ? 1 : row.crashes + 1

/** A clock that was set back must not make a pause longer than the longest. */
export const isDue = ({ not_before }: Instance, now: number): boolean =>
  now >= not_before || not_before - now > longestPauseMs

/** Asks for an instance; where one is being started already, that one must do. */
export async function requestInstance(
  parts: InstanceParts,
  app: App,
  after?: Instance,
): Promise<'asked' | 'under way' | 'full' | 'gone'> {
  const { store, nodeId, runsApps } = parts
  const now = parts.clock.now()
  const bad = after?.outcome === 'failed' || after?.outcome === 'crashed'
  const crashes = bad ? crashesAfter(after, after.ended_at ?? now) : 0
  const row: Instance = {
    id: newId('ins'),
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
    // Nothing to wait for is no time at all: the clock of the node that starts it may be behind.
    not_before: bad ? (after.ended_at ?? now) + pauseAfter(crashes) : 0,
    created_at: now,
    used_at: now,
    ready_at: null,
    draining_at: null,
    ended_at: null,
  }
  try {
    return await store.transact(async (tx, changed) => {
      if (parts.bounds && !(await enforceRunningLimits(parts.bounds, { tx, changed, nodeId }, app)))
        return 'full'
      if (!(await insertInstance(tx, row))) return 'under way'
      await announceChange(changed, row.deployment_id)
      return 'asked'
    })
  } catch (error) {
    if (isMissingReference(error)) return 'gone'
    throw error
  }
}

/** Takes one that nobody has taken. Returns false if another node was faster. */
export const claimInstance = ({ store, nodeId }: InstanceParts, { id }: Instance): Promise<boolean> =>
  moveInstance(store.db, id, ['wanted'], { state: 'starting', node_id: nodeId })

/** It accepts connections. Others of its deployment on this node are used no more. Returns false if it is not wanted any longer. */
export function becomeReady(
  { store, clock, nodeId }: InstanceParts,
  row: Instance,
  address: AppAddress,
  generation: number,
): Promise<boolean> {
  const now = clock.now()
  return store.transact(async (tx, changed) => {
    const { host, port, appPort = port } = address
    const facts = { host, port, app_port: appPort, generation, ready_at: now, used_at: now }
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
  const to = { state: 'ended', outcome, error, generation: row.generation, ended_at: clock.now() } as const
  return store.transact(async (tx, changed) => {
    if (!(await moveInstance(tx, row.id, ['wanted', 'starting', 'ready', 'draining'], to))) return false
    await announceChange(changed, row.deployment_id)
    return true
  })
}

/** Gives the address out no more, unless it was used after all. */
export function retireIdle({ store, clock }: InstanceParts, row: Instance, idleMs: number): Promise<boolean> {
  const now = clock.now()
  return store.transact(async (tx, changed) => {
    if (!(await drainIdle(tx, row.id, now - idleMs, now))) return false
    await announceChange(changed, row.deployment_id)
    return true
  })
}

/** Gives the address out no more, whoever uses it; whoever asks next starts another. */
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

/** A node that was lost in the middle of a start must not keep others from starting the same app. */
export function endForgotten({ store, clock, nodeId }: InstanceParts): Promise<void> {
  const now = clock.now()
  return store.transact(async (tx, changed) => {
    for (const id of await endForgottenStarts(tx, nodeId, now - forgottenAfterMs, now))
      await announceChange(changed, id)
  })
}

/** What this node has on record although it runs none of it: it was killed, or is about to stop. */
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

/** What there is of a deployment for this node: one to use, or one on its way, or how the last one ended. */
export async function currentOf(
  { store, nodeId }: Pick<InstanceParts, 'store' | 'nodeId'>,
  deploymentId: string,
): Promise<{ ready?: Instance; elsewhere?: Instance; starting?: Instance; ended?: Instance }> {
  const { rows } = await findActive(store.db, deploymentId)
  // On another machine the same address leads to somebody else's app.
  const ready = rows.find(row => row.state === 'ready' && row.node_id === nodeId)
  if (ready) return { ready }
  const starting = rows.find(row => row.state === 'wanted' || row.state === 'starting')
  if (starting) return { starting }
  const elsewhere = rows.find(row => row.state === 'ready')
  if (elsewhere) return { elsewhere }
  const ended = (await findLastEnded(store.db, deploymentId)).rows[0]
  return ended ? { ended } : {}
}

const announceChange = (changed: Changed, deploymentId: string): Promise<void> =>
  changed({ topic: 'app', key: deploymentId })
