// Removes what no deployment needs any more from this machine: unpacked files, images and disks.
import { discardUnneeded } from '../core/disk/retention.ts'
import type { AppImages } from '../ports/app-images/port.ts'
import { servedAmong } from '../store/deployments/stored.ts'
import { forgetDisk, listDiscarded } from '../store/disk/disks.ts'
import type { DiskTurns } from './disk-turns.ts'
import type { SupervisorParts } from './supervisor.ts'
import { UnusedImages } from './unused-images.ts'

export interface LeftoversParts
  extends Pick<SupervisorParts, 'clock' | 'disks' | 'files' | 'nodeId' | 'store'> {
  /** `undefined` without a container engine. */
  images: AppImages | undefined
}

export class Leftovers {
  readonly #parts: LeftoversParts
  readonly #turns: DiskTurns
  readonly #images: UnusedImages | undefined

  constructor(parts: LeftoversParts, turns: DiskTurns) {
    this.#parts = parts
    this.#turns = turns
    this.#images = parts.images && new UnusedImages(parts.images, parts.store.db)
  }

  /** `isRunning` tells whether an instance of the deployment runs here. */
  async remove(isRunning: (deploymentId: string) => boolean): Promise<void> {
    const { clock, files, store } = this.#parts
    const here = await files.list()
    const served = await servedAmong(store.db, here)
    for (const id of here) if (!served.has(id)) await files.remove(id, () => isRunning(id))
    await this.#images?.remove(clock.now())
    await this.#removeDisks()
  }

  async #removeDisks(): Promise<void> {
    const { store, nodeId, clock, disks } = this.#parts
    await discardUnneeded(store, nodeId, clock.now())
    for (const { id } of (await listDiscarded(store.db, nodeId)).rows) {
      if (this.#turns.isTaken(id)) continue
      await disks.remove(id)
      await forgetDisk(store.db, id)
    }
  }
}
