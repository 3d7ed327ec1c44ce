// Finds deployments: all of a project in pages, and everything that is known of one.
import type { Deployment, DeploymentDetail } from '@svc/contract'
import type { PageRequest } from '../../lib/page.ts'
import { findBuildOf } from '../../store/builds/builds.ts'
import {
  type DeploymentFilter,
  findPredecessor,
  findWithLogin,
  listDeployments,
} from '../../store/deployments/deployments.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Platform } from '../base/platform.ts'
import { describeDeployment } from './description.ts'
import { noSuchDeployment } from './faults.ts'

export async function deploymentHistory(
  platform: Pick<Platform, 'store' | 'urls'>,
  project: ProjectWithOrg,
  filter: DeploymentFilter,
  page: PageRequest,
): Promise<{ deployments: Deployment[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await listDeployments(platform.store.db, project.id, filter, page)
  return { deployments: rows.map(row => describeDeployment(platform, project.name, row)), next_cursor }
}

export async function deploymentDetail(
  platform: Pick<Platform, 'store' | 'urls'>,
  project: ProjectWithOrg,
  id: string,
): Promise<DeploymentDetail> {
  const { db } = platform.store
  const row = await findWithLogin(db, project.id, id)
  if (!row) throw noSuchDeployment(id)
  const build = await findBuildOf(db, id)
  return {
    ...describeDeployment(platform, project.name, row),
    is_active: project.active_deployment_id === id,
    build_id: build?.id ?? null,
    commit_message: build?.commit_message ?? null,
    commit_author: build?.author ?? null,
    branch_url: row.branch_slug && platform.urls.branch(row.branch_slug, project.name),
    previous_id: (await findPredecessor(db, row)) ?? null,
  }
}
