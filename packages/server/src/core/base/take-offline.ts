// Takes projects offline: their apps and builds end, and edges learn that their sites changed.
import { endAllOfProject } from '../../store/apps/instances.ts'
import { cancelBuilds } from '../../store/builds/builds.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import { siteChanged } from './site-changes.ts'

/** For projects that `tx` suspends. `error` is what their builds say. */
export async function takeOffline(
  tx: Tx,
  changed: Changed,
  projects: readonly { id: string; name: string }[],
  end: { now: number; error: string },
): Promise<void> {
  // So that a deployment that is just going live, or an app that starts, comes before this, or is refused.
  for (const { id } of projects) await lockProject(tx, id)
  for (const project of projects) {
    for (const deployment of await endAllOfProject(tx, project.id, end.now))
      await changed({ topic: 'app', key: deployment })
    for (const build of await cancelBuilds(tx, { projectId: project.id }, end))
      await changed({ topic: 'build', key: build })
    await siteChanged(tx, changed, project)
  }
}
