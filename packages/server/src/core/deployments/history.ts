// Finds deployments: all of a project in pages, and everything that is known of one.
import type { Deployment, DeploymentDetail } from '@svc/contract'
import type { PageRequest } from '../../lib/page.ts'
import {
  type DeploymentFilter,
  findPredecessor,
  findWithLogin,
  listDeployments,
} from '../../store/deployments/deployments.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Platform } from '../base/platform.ts'
import { describeDeployments } from './description.ts'
import { noSuchDeployment } from './faults.ts'

export async function deploymentHistory(
  platform: Pick<Platform, 'store' | 'urls'>,
  project: ProjectWithOrg,
  filter: DeploymentFilter,
  page: PageRequest,
): Promise<{ deployments: Deployment[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await listDeployments(platform.store.db, project.id, filter, page)
  return { deployments: await describeDeployments(platform, project.name, rows), next_cursor }
}

export async function deploymentDetail(
  platform: Pick<Platform, 'store' | 'urls'>,
  project: ProjectWithOrg,
  id: string,
): Promise<DeploymentDetail> {
  const { db } = platform.store
  const row = await findWithLogin(db, project.id, id)
  if (!row) throw noSuchDeployment(id)
  const [deployment] = await describeDeployments(platform, project.name, [row])
  return {
    ...deployment!,
    is_active: project.active_deployment_id === id,
    branch_url: row.branch_slug && platform.urls.branch(row.branch_slug, project.name),
    previous_id: (await findPredecessor(db, row)) ?? null,
  }
}
