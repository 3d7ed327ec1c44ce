// The list of projects that a caller sees.
import type { ListedProject } from '@svc/contract'
import { type ListedRow, type ListRequest, listOne, listProjects } from '../../store/projects/listed.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { primaryUrl } from '../domains/primary.ts'
import { onlyProject, orgFor } from '../orgs/rights.ts'
import { describeProject } from './projects.ts'

/** Personal projects, or those of an org. A deploy token sees those of its org, a token for one project only that one. */
export async function visibleProjects(
  platform: Pick<Platform, 'clock' | 'dns' | 'store' | 'urls'>,
  caller: Caller,
  orgName: string | undefined,
  page: ListRequest,
): Promise<{ projects: ListedProject[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await visibleRows(platform, caller, orgName, page)
  return { projects: await Promise.all(rows.map(row => describeListed(platform, row))), next_cursor }
}

async function visibleRows(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  orgName: string | undefined,
  page: ListRequest,
) {
  const { db } = platform.store
  const viewer = caller.account.id
  if (caller.project) {
    const only = await onlyProject(platform, caller)
    if (!only || (orgName !== undefined && orgName !== only.org_name)) return { rows: [], next_cursor: null }
    return { rows: (await listOne(db, viewer, only.id)).rows, next_cursor: null }
  }
  const org = orgName === undefined ? caller.org : await orgFor(platform, caller, orgName, 'member')
  return await listProjects(db, viewer, org ? { orgId: org.id } : { accountId: viewer }, page)
}

const describeListed = async (
  platform: Pick<Platform, 'clock' | 'dns' | 'urls'>,
  row: ListedRow,
): Promise<ListedProject> => ({
  ...describeProject(platform, row),
  primary_url:
    row.primary_domain === null ? null : await primaryUrl(platform, row.primary_domain, certificateOf(row)),
  starred: row.star !== null,
  access: { mode: row.access_mode },
  live: row.active_deployment_id
    ? {
        url: platform.urls.deployment(row.active_deployment_id, row.name),
        kind: row.live_kind ?? 'static',
        picture: row.picture,
      }
    : null,
  last_deployment: lastDeploymentOf(row),
  last_build: lastBuildOf(row),
})

const certificateOf = ({ is_certified }: ListedRow): 'stored' | 'awaited' | undefined =>
  is_certified === null ? undefined : is_certified ? 'stored' : 'awaited'

function lastDeploymentOf(row: ListedRow): ListedProject['last_deployment'] {
  const {
    last_id: id,
    last_status: status,
    last_at: at,
    last_by: by,
    last_branch: branch,
    last_error: error,
  } = row
  if (id === null || status === null || at === null) return null
  return { id, status, at: isoTime(at), by, branch, error }
}

function lastBuildOf(row: ListedRow): ListedProject['last_build'] {
  const { build_id: id, build_status: status, build_at: at, build_branch: branch } = row
  if (id === null || status === null || at === null || branch === null) return null
  return { id, status, at: isoTime(at), branch }
}
