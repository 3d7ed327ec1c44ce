// Deletes a project or share. First it goes offline, then its many rows are deleted in portions, then the rest in one transaction.
// The sweep does what an interrupted deletion left, and a job deletes the files.

import { keepUsage } from '../../store/billing/usage.ts'
import { discardPacksOf, forgetDiscarded, someDiscarded } from '../../store/deployments/discarded-packs.ts'
import { discardDisks } from '../../store/disk/disks.ts'
import { deleteDomainsOf } from '../../store/domains/domains.ts'
import { emptyProject } from '../../store/projects/emptying.ts'
import { formerNamesOf } from '../../store/projects/former-names.ts'
import { deleteProject, endProject, lockProject } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { ProjectRow } from '../../store/tables.ts'
import { enqueue } from '../base/jobs.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { variantsId } from '../deployments/archive/variants.ts'
import { releaseDomain } from '../domains/proof.ts'

const batch = 100

/**
 * Deletes a project. Its name is then free. Returns false if the project is gone, or its owner has changed since `project` was
 * read. `also` runs in the transaction that takes the project offline.
 */
export async function removeProject(
  platform: Rows,
  project: ProjectRow,
  also: (tx: Tx) => Promise<unknown> = async () => undefined,
): Promise<boolean> {
  const isOffline = await platform.store.transact(async (tx, changed) => {
    const { id, account_id, org_id } = project
    if (!(await endProject(tx, { id, account_id, org_id }))) return false
    await also(tx)
    await changed({ topic: 'project', key: project.name })
    return true
  })
  if (isOffline) await removeEnded(platform, project)
  return isOffline
}

/** Deletes a project that is offline. */
export async function removeEnded({ store, clock }: Rows, project: ProjectRow): Promise<void> {
  await emptyProject(store, project.id, clock.now())
  await store.transact((tx, changed) => removeRows(tx, changed, project, clock.now()))
}

async function removeRows(tx: Tx, changed: Changed, project: ProjectRow, now: number): Promise<void> {
  if (!(await lockProject(tx, project.id, project))) return
  await discardPacksOf(tx, project.id, now)
  await discardDisks(tx, { projectId: project.id }, now)
  for (const row of await deleteDomainsOf(tx, project.id)) {
    await releaseDomain(tx, row, project, now)
    await changed({ topic: 'domain', key: row.domain })
  }
  await keepUsage(tx, project, now)
  const former = await formerNamesOf(tx, project.id)
  await deleteProject(tx, project.id)
  await enqueue(tx, 'remove-packs', { id: project.id }, { now })
  for (const { name } of [project, ...former]) await changed({ topic: 'project', key: name })
  const owner = project.org_id ?? project.account_id
  if (owner) await changed({ topic: 'workspace', key: owner })
}

/** The record of a pack is deleted after its files, so that an interrupted run is repeated. */
export async function removeDiscardedPacks(
  platform: Pick<Platform, 'packs' | 'store'>,
  signal?: AbortSignal,
): Promise<void> {
  const { packs, store } = platform
  for (;;) {
    const ids = await someDiscarded(store.db, batch)
    if (ids.length === 0) return
    for (const id of ids) {
      signal?.throwIfAborted()
      await packs.delete(id)
      await packs.delete(variantsId(id))
    }
    await forgetDiscarded(store.db, ids)
  }
}
