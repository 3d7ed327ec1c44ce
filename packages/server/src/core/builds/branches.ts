// A branch that is gone takes its builds, its deployments and its address along.
import { branchDeployments, cancelQueued } from '../../store/builds.ts'
import { deleteInactive } from '../../store/deployments.ts'
import { discardPack } from '../../store/discarded-packs.ts'
import { unpinDomains } from '../../store/domains.ts'
import { enqueue } from '../../store/jobs.ts'
import type { ConnectedProject } from '../../store/repositories.ts'
import type { Platform } from '../platform.ts'

/** Domains that track the branch show production again, until the branch comes back. */
export async function removeBranch(
  platform: Platform,
  project: ConnectedProject,
  branch: string,
): Promise<void> {
  if (branch === project.branch) return
  const now = platform.clock.now()
  const projectId = project.project_id
  await platform.store.transact(async (tx, changed) => {
    const cancelled = await cancelQueued(tx, { projectId, branch }, { now, error: 'The branch was deleted.' })
    for (const id of cancelled) await changed({ topic: 'build', key: id })
    const ids = await branchDeployments(tx, projectId, branch)
    if (ids.length === 0) return
    for (const domain of await unpinDomains(tx, projectId, branch))
      await changed({ topic: 'domain', key: domain })
    for (const id of ids) {
      if (!(await deleteInactive(tx, projectId, id))) continue
      await discardPack(tx, id, now)
      await changed({ topic: 'app', key: id })
    }
    await enqueue(tx, { kind: 'remove-packs', key: projectId, runAt: now, now })
    await changed({ topic: 'project', key: project.project_name })
  })
}
