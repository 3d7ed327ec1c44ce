// How a build is described at the git host: in the status of its commit, and in comments.
import type { BuildStatus } from '@svc/contract'
import type { CommitStatus, DeploymentStatus } from '../../ports/github/port.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import type { Db } from '../../store/store.ts'
import type { BuildRow } from '../../store/tables.ts'
import { branchSlug } from '../base/labels.ts'
import type { Platform } from '../base/platform.ts'

interface Words {
  status: CommitStatus['state']
  /** `undefined`: a build that has not begun is no deployment. */
  deployment: DeploymentStatus['state'] | undefined
  /** In the comment. */
  shown: string
}

export const words: Record<BuildStatus, Words> = {
  queued: { status: 'pending', deployment: undefined, shown: '🕓 Queued' },
  building: { status: 'pending', deployment: 'in_progress', shown: '🔨 Building' },
  succeeded: { status: 'success', deployment: 'success', shown: '✅ Ready' },
  failed: { status: 'failure', deployment: 'failure', shown: '❌ Failed' },
  cancelled: { status: 'error', deployment: undefined, shown: '⚪ Cancelled' },
}

export interface About {
  environment: string
  url: string
  logUrl: string
  description: string
}

export async function describe(
  platform: Pick<Platform, 'store' | 'urls'>,
  build: BuildRow,
  project: string,
): Promise<About> {
  const isProduction = build.is_production === 1
  const isHeldBack = isProduction && (await wasHeldBack(platform.store.db, build))
  const descriptions: Record<BuildStatus, string> = {
    queued: 'Waiting in the queue.',
    building: 'Building.',
    succeeded: isHeldBack
      ? 'Built, not live: production is locked since a rollback.'
      : isProduction
        ? 'Deployed to production.'
        : 'The preview is ready.',
    failed: build.error ?? 'The build failed.',
    cancelled: build.error ?? 'Cancelled.',
  }
  return {
    environment: `${isProduction ? 'Production' : 'Preview'} – ${project}`,
    url: isHeldBack
      ? platform.urls.deployment(build.deployment_id ?? '', project)
      : isProduction
        ? platform.urls.site(project)
        : platform.urls.branch(branchSlug(build.branch, project), project),
    logUrl: `${platform.urls.dashboard}/projects/${project}/git/${build.id}`,
    description: descriptions[build.status],
  }
}

/** Whether production was locked when the build ended, so that it never was live. */
async function wasHeldBack(db: Db, { project_id, deployment_id }: BuildRow): Promise<boolean> {
  const deployment = deployment_id !== null && (await findDeployment(db, project_id, deployment_id))
  return deployment ? deployment.status === 'superseded' && deployment.superseded_at === null : false
}
