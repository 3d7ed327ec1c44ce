// Moving a project to another owner: into an org, from one to another, or back to the one who moves it.

import type { Project } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { storedBytes } from '../../store/billing/plan-usage.ts'
import { countDomains, countDomainsOf } from '../../store/domains/domains.ts'
import { changeOwner, lockProject } from '../../store/projects/projects.ts'
import type { Tx } from '../../store/store.ts'
import { previewModeOf } from '../access/preview-access.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { requireRoom } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { siteChanged } from '../base/site-changes.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import { requireStorage } from '../deployments/storage-room.ts'
import { type OrgScope, orgFor, type ProjectScope, requireRole } from '../orgs/rights.ts'
import { describeProject, makeRoom } from './projects.ts'

export async function transferProject(
  platform: PlanSettings & Rows & Pick<Platform, 'urls'>,
  caller: Caller,
  project: ProjectScope,
  orgName: string | null,
): Promise<Project> {
  if (orgName === project.org_name) return describeProject(platform, project)
  // The owner of a personal project has every role over it.
  requireRole(project.role, 'admin', project.org_name)
  const org = orgName === null ? undefined : await orgFor(platform, caller, orgName, 'member')
  if (!org && project.access_mode === 'org') throw forMembersOnly('this site')
  await move(platform, caller, project, org)
  return describeProject(platform, { ...project, org_name: org?.name ?? null })
}

const forMembersOnly = (what: string): Fault =>
  new Fault(
    'access_mode_conflict',
    `Only members of the org may see ${what}. Change its access before you make it personal.`,
  )

/** Called after `makeRoom`, which locks the new owner. */
export async function requireDomainRoom(
  platform: PlanSettings,
  tx: Tx,
  { account_id, org_id }: { account_id: string | null; org_id: string | null },
  more: number,
): Promise<void> {
  if (more === 0) return
  const owner = org_id ? { orgId: org_id } : { accountId: account_id ?? '' }
  const have = await countDomains(tx, owner)
  await requireRoom(platform, tx, org_id ?? account_id ?? '', 'domains', have, more)
}

async function move(
  platform: PlanSettings & Rows,
  caller: Caller,
  project: ProjectScope,
  org: OrgScope | undefined,
) {
  const owner = org ? { account_id: null, org_id: org.id } : { account_id: caller.account.id, org_id: null }
  await platform.store.transact(async (tx, changed) => {
    await makeRoom(platform, tx, owner)
    // What belongs to it, such as its domains and the access to its previews, changes no more.
    await lockProject(tx, project.id)
    // A suspended account must not bring its sites online through an org.
    await requireNotSuspended(tx, project.id)
    await requireStorage(platform, tx, owner, await storedBytes(tx, project, project.id))
    await requireDomainRoom(platform, tx, owner, await countDomainsOf(tx, project.id))
    const previewMode = await previewModeOf(tx, project.id)
    if (!org && previewMode === 'org') throw forMembersOnly('its previews')
    // Who may see a site or a preview of the mode `org` changes with the org: visitors' cookies are void at once.
    const endsPasses = project.access_mode === 'org' || previewMode === 'org'
    if (!(await changeOwner(tx, project, owner, { endsPasses })))
      throw new Fault(
        'owner_changed',
        `The owner or the access of '${project.name}' changed meanwhile. Look at it again, then repeat the transfer.`,
      )
    const details = { from: project.org_name, to: org?.name ?? null }
    const entry = { action: 'project.transfer', target: project.name, details } as const
    await audit(platform, tx, caller, { ...entry, project: { id: project.id, org_id: owner.org_id } })
    // Both orgs see it in their logs, the project in its own but once.
    if (project.org_id) await audit(platform, tx, caller, { ...entry, orgId: project.org_id })
    await siteChanged(tx, changed, project)
    for (const each of [project, owner])
      await changed({ topic: 'workspace', key: each.org_id ?? each.account_id ?? '' })
  })
}
