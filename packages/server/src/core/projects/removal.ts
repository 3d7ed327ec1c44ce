// Deletes a project or share: its rows in one transaction, its files afterwards by a job that can be repeated.

import { keepUsage } from '../../store/billing/usage.ts'
import { discardPacksOf, forgetDiscarded, someDiscarded } from '../../store/deployments/discarded-packs.ts'
import { deleteDomainsOf } from '../../store/domains/domains.ts'
import { formerNamesOf } from '../../store/projects/former-names.ts'
import { deleteProject, lockProject } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { ProjectRow } from '../../store/tables.ts'
import { enqueue } from '../base/jobs.ts'
import type { Platform } from '../base/platform.ts'
import { variantsId } from '../deployments/archive/variants.ts'
import { releaseDomain } from '../domains/proof.ts'

const batch = 100

/**
 * Deletes a project. Once the transaction is committed, its name is free and the edge no longer serves it. A job deletes the
 * files of its deployments. Returns false if the project is gone, or its owner has changed since `project` was read.
 */
export async function removeProject(
  tx: Tx,
  changed: Changed,
  project: ProjectRow,
  now: number,
): Promise<boolean> {
  if (!(await lockProject(tx, project.id, project))) return false
  await discardPacksOf(tx, project.id, now)
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
  return true
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
