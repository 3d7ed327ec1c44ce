// The turn of an instance to write to a disk.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Instance, type InstanceParts, retire } from '../core/apps/instances.ts'
import type { Platform } from '../core/base/platform.ts'
import { type Publication, publicationOf } from '../core/disk/places.ts'
import { findInstance } from '../store/apps/instances.ts'
import { findDeployment } from '../store/deployments/deployments.ts'
import type { Turn } from './disk-turns.ts'
import { notes } from './notes.ts'

type Parts = InstanceParts & { platform: Pick<Platform, 'apps'> }

interface Supervised {
  readonly phase: string
  stop(because: string): Promise<void>
}

/** Edges learn within this time that the instance must not be used any more. */
const hearingMs = 150
/** Requests under way may take this long, while all others wait. */
const lastRequestsMs = 5_000
/** An edge in another process that still uses an instance records that at least this often. */
const silenceMs = 2_600
/** How long a deployment may take to go live after its start. */
const publishingMs = 60_000
const lookEveryMs = 25

export class InstanceTurn implements Turn {
  readonly diskId: string
  readonly deploymentId: string
  isShared = false
  readonly #parts: Parts
  readonly #app: Supervised
  readonly #row: Instance
  #upSince: number | undefined
  #yielding: Promise<void> | undefined

  constructor(parts: Parts, app: Supervised, row: Instance, diskId: string) {
    this.#parts = parts
    this.#app = app
    this.#row = row
    this.diskId = diskId
    this.deploymentId = row.deployment_id
  }

  isUp(): boolean {
    if (this.#app.phase !== 'up') return false
    this.#upSince ??= performance.now()
    return true
  }

  async publication(): Promise<Publication> {
    const { db } = this.#parts.store
    const { project_id: projectId, takes_disk, created_at: startedAt } = this.#row
    const deployment = await findDeployment(db, projectId, this.deploymentId)
    if (!deployment) return 'superseded'
    const isOverdue = this.isUp() && performance.now() - (this.#upSince ?? 0) > publishingMs
    // With a shared disk it may still run when another deployment has gone live after it.
    const wasLive = (deployment.superseded_at ?? 0) >= startedAt
    const isAwaited = takes_disk === 1 && !isOverdue && !wasLive
    return (await publicationOf(db, deployment, isAwaited)).publication
  }

  /** New requests wait for the successor. Those under way get some time to end. */
  yield(): Promise<void> {
    // A second look at who is busy would count the requests that wait.
    this.#yielding ??= this.#end()
    return this.#yielding
  }

  async #end(): Promise<void> {
    const { platform, clock } = this.#parts
    const isBusyHere = platform.apps.leave(this.deploymentId, this.#row.id)
    await retire(this.#parts, this.#row.id, this.deploymentId)
    const begun = performance.now()
    while (performance.now() - begun < lastRequestsMs) {
      await sleep(lookEveryMs)
      if (performance.now() - begun < hearingMs || isBusyHere()) continue
      const row = await findInstance(this.#parts.store.db, this.#row.id)
      const usedAt = row?.used_at ?? 0
      if (usedAt <= (row?.draining_at ?? usedAt) || clock.now() - usedAt > silenceMs) break
    }
    await this.#app.stop(notes.stopped.diskMoves)
  }
}
