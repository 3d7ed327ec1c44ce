// What the card of a project says about it, from its live deployment, its last deployment and its last build.
import type { ListedProject } from '@svc/contract'
import { type ShownStatus, shownStatus } from '../../components/status-badge.tsx'

type Facts = Pick<ListedProject, 'live' | 'last_deployment' | 'last_build'>

/** The last build, if it failed and nothing was deployed since. */
export function failedBuild({
  last_build: build,
  last_deployment: last,
}: Facts): ListedProject['last_build'] {
  if (build?.status !== 'failed') return null
  return last && last.at > build.at ? null : build
}

/** What failed last comes first: it is not online, whatever visitors see. */
export function stateOf(project: Facts): ShownStatus {
  if (failedBuild(project)) return 'build-failed'
  const last = project.last_deployment ? shownStatus(project.last_deployment) : 'none'
  if (project.live) return last === 'failed' ? 'deploy-failed' : 'live'
  return last
}
