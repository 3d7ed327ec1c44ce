// The list of a project's branches: for each, its URL, its deployment and its last build.
import { type Branch, limits } from '@svc/contract'
import { newestBuilds, shownOfBranches } from '../../store/builds/branches.ts'
import { branchesOf, findProjectRepo } from '../../store/builds/repositories.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import { listDomains } from '../../store/domains/domains.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTimeOrNull } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { usualBranch } from './branches.ts'
import { describeBuild, queuePositions } from './queue.ts'

/** The production branch comes first, then the branches with the newest deployment or build. */
export async function branchList(
  platform: Rows & Pick<Platform, 'urls'>,
  project: ProjectScope,
): Promise<Branch[]> {
  const { db } = platform.store
  const repo = await findProjectRepo(db, project.id)
  const production = repo?.branch ?? usualBranch
  const builds = new Map((await newestBuilds(db, project.id, limits.branches)).map(row => [row.branch, row]))
  const positions = await queuePositions(platform, [...builds.values()])
  const shown = new Map(
    (await shownOfBranches(db, project.id, limits.branches)).map(row => [row.git_branch ?? '', row]),
  )
  const live = await findDeployment(db, project.id, project.active_deployment_id ?? '')
  const domains = await listDomains(db, project.id)
  const inRepository = repo?.repository_id ? await branchesOf(db, repo.repository_id) : []
  const pushed = new Set(inRepository.map(row => row.branch))
  // A deleted branch still has builds.
  const built = [...builds.values()].filter(row => pushed.has(row.branch) || row.finished_at === null)
  const names = new Set([
    ...built.map(row => row.branch),
    ...shown.keys(),
    ...domains.flatMap(row => row.branch ?? []),
  ])
  names.delete(production)
  const describe = (branch: string): Branch & { changedAt: number } => {
    const isProduction = branch === production
    const preview = shown.get(branch)
    const deployment = isProduction ? live : preview
    const build = builds.get(branch)
    const url = isProduction
      ? platform.urls.site(project.name)
      : platform.urls.branch(preview?.branch_slug ?? '', project.name)
    return {
      branch,
      production: isProduction,
      url: deployment ? url : null,
      deployment_id: deployment?.id ?? null,
      deployed_at: isoTimeOrNull(deployment?.created_at ?? null),
      domains: domains.filter(row => row.branch === (isProduction ? null : branch)).map(row => row.domain),
      build: build ? describeBuild(build, positions) : null,
      changedAt: Math.max(deployment?.created_at ?? 0, build?.created_at ?? 0),
    }
  }
  const others = [...names].map(describe)
  others.sort((a, b) => b.changedAt - a.changedAt || (a.branch < b.branch ? -1 : 1))
  return [describe(production), ...others].slice(0, limits.branches).map(({ changedAt: _, ...row }) => row)
}
