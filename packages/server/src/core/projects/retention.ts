// Retention: a project may delete its old deployments by itself. The sweep does it, in small transactions.
import type { Retention } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { deleteInactive } from '../../store/deployments/deployments.ts'
import { discardPack } from '../../store/deployments/discarded-packs.ts'
import { lockProject } from '../../store/projects/projects.ts'
import {
  countExpendable,
  findRetention,
  projectsWithRetention,
  saveRetention,
  someExpendable,
} from '../../store/projects/retention.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import type { ProjectScope } from '../orgs/rights.ts'

const atOnce = 50

interface RetentionInput {
  retention: { [Field in keyof Retention]?: Retention[Field] | undefined }
  dry_run?: boolean | undefined
}

/** Saves the retention, unless this is a dry run. Returns what it deletes. */
export async function changeRetention(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  { retention: input, dry_run }: RetentionInput,
) {
  return await platform.store.transact(async (tx, changed) => {
    if (!dry_run && !(await lockProject(tx, project.id)))
      throw new Fault('not_found', `The project '${project.name}' was deleted meanwhile.`)
    const before = await findRetention(tx, project.id)
    const retention = {
      production_count:
        input.production_count === undefined ? before.production_count : input.production_count,
      preview_days: input.preview_days === undefined ? before.preview_days : input.preview_days,
    }
    const isChange =
      retention.production_count !== before.production_count || retention.preview_days !== before.preview_days
    if (isChange && !dry_run) {
      await saveRetention(tx, { project_id: project.id, ...retention })
      const entry = {
        action: 'project.retention',
        project,
        target: project.name,
        details: retention,
      } as const
      await audit(platform, tx, caller, entry)
      await siteChanged(tx, changed, project)
    }
    const deletes = await countExpendable(tx, project.id, retention, platform.clock.now())
    return { retention, deletes }
  })
}

/** Deletes the deployments that the projects do not keep. The files are deleted by the sweep, too. */
export async function removeOldDeployments(platform: Rows): Promise<void> {
  for (const project of await projectsWithRetention(platform.store.db))
    while ((await removeSome(platform, project)) === atOnce);
}

async function removeSome(
  platform: Rows,
  project: { id: string; name: string; org_id: string | null },
): Promise<number> {
  const now = platform.clock.now()
  return await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id))) return 0
    const retention = await findRetention(tx, project.id)
    const ids = await someExpendable(tx, project.id, retention, { now, atMost: atOnce })
    for (const id of ids) {
      await deleteInactive(tx, project.id, id)
      await discardPack(tx, id, now)
      const entry = {
        action: 'deployment.delete',
        project,
        target: id,
        details: { reason: 'retention' },
      } as const
      await audit(platform, tx, { ip: '' }, entry)
      await changed({ topic: 'app', key: id })
    }
    if (ids.length > 0) await siteChanged(tx, changed, project)
    return ids.length
  })
}
