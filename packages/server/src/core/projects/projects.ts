// Projects: a name, an owner, and the deployments under it.
import { limits, type Project, type ProjectDetail } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { findDeployment, recentDeployments } from '../../store/deployments/deployments.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { countProjects, lockOrg } from '../../store/orgs/orgs.ts'
import { pictureHash } from '../../store/projects/pictures.ts'
import { insertProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import { findRetention } from '../../store/projects/retention.ts'
import { addStar, removeStar } from '../../store/projects/stars.ts'
import type { Tx } from '../../store/store.ts'
import { previewModeOf } from '../access/preview-access.ts'
import { appState } from '../apps/restart.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { checkName, nameTaken, requireFreeName } from '../base/names.ts'
import { requireRoom } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { describeSuspension, suspensionOf } from '../base/suspension.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { repoOrNull } from '../builds/connect.ts'
import { describeDeployments } from '../deployments/description.ts'
import { productionLockOf } from '../deployments/production-lock.ts'
import { domainsOf } from '../domains/domains.ts'
import { primaryUrlOf } from '../domains/primary.ts'
import { orgFor } from '../orgs/rights.ts'
import { removeProject } from './removal.ts'

export async function createProject(
  platform: PlanSettings & Rows & Pick<Platform, 'reservedNames' | 'urls'>,
  caller: Caller,
  input: { name: string; org?: string | null | undefined },
): Promise<Project> {
  checkName(platform, input.name)
  const org = input.org == null ? undefined : await orgFor(platform, caller, input.org, 'member')
  const row = {
    id: newId('prj'),
    name: input.name,
    account_id: org ? null : caller.account.id,
    org_id: org?.id ?? null,
    active_deployment_id: null,
    expires_at: null,
    created_at: platform.clock.now(),
    active_at: null,
    access_mode: 'public',
    password_hash: null,
    access_generation: 0,
  } as const
  await platform.store.transact(async (tx, changed) => {
    await makeRoom(platform, tx, row)
    await requireFreeName(tx, row.name, row.created_at)
    if (!(await insertProject(tx, row))) throw nameTaken(input.name)
    await audit(platform, tx, caller, { action: 'project.create', project: row, target: row.name })
    await changed({ topic: 'project', key: row.name })
    await changed({ topic: 'workspace', key: org?.id ?? caller.account.id })
  })
  return describeProject(platform, { ...row, org_name: org?.name ?? null })
}

/** Checks that the plan of the owner allows one more project. */
export async function makeRoom(
  platform: PlanSettings,
  tx: Tx,
  owner: { account_id: string | null; org_id: string | null },
): Promise<void> {
  if (owner.org_id) {
    if (!(await lockOrg(tx, owner.org_id))) throw new Fault('not_found', 'There is no such org any more.')
    await requireRoom(
      platform,
      tx,
      owner.org_id,
      'projects',
      await countProjects(tx, { orgId: owner.org_id }),
    )
  } else if (owner.account_id) {
    await lockAccount(tx, owner.account_id)
    const have = await countProjects(tx, { accountId: owner.account_id })
    await requireRoom(platform, tx, owner.account_id, 'projects', have)
  }
}

/** Deletes everything of the project and frees its name. */
export async function deleteProject(
  platform: Rows & Pick<Platform, 'logs'>,
  caller: Caller,
  project: ProjectWithOrg,
): Promise<void> {
  const orgId = project.org_id ?? undefined
  const entry = { action: 'project.delete', orgId, target: project.name } as const
  if (!(await removeProject(platform, project, tx => audit(platform, tx, caller, entry))))
    throw new Fault('not_found', `There is no project '${project.name}' that you can act on.`)
  // If this is interrupted, or the logs are on another node, the sweep deletes them later.
  await platform.logs.remove(project.id)
}

/** Stars a project for the caller alone, or takes the star off. */
export async function starProject(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  project: ProjectWithOrg,
  isStarred: boolean,
): Promise<void> {
  const { db } = platform.store
  if (!isStarred) return await removeStar(db, caller.account.id, project.id)
  if (!(await addStar(db, caller.account.id, project.id)))
    throw new Fault('not_found', `The project '${project.name}' was deleted meanwhile.`)
}

export async function projectDetail(
  platform: Pick<Platform, 'clock' | 'dns' | 'dnsTarget' | 'domainProof' | 'nodeId' | 'store' | 'urls'>,
  project: ProjectWithOrg,
): Promise<ProjectDetail> {
  const rows = await recentDeployments(platform.store.db, project.id, limits.recentDeployments)
  const deployments = await describeDeployments(platform, project.name, rows)
  const suspension = await suspensionOf(platform.store.db, project.id)
  const live =
    rows.find(row => row.id === project.active_deployment_id) ??
    (await findDeployment(platform.store.db, project.id, project.active_deployment_id ?? ''))
  return {
    ...describeProject(platform, project),
    primary_url: await primaryUrlOf(platform, project.id),
    kind: live?.kind ?? 'static',
    app: await appState(platform, live),
    access: { mode: project.access_mode },
    preview_access: { mode: await previewModeOf(platform.store.db, project.id) },
    picture: await pictureHash(platform.store.db, project.id),
    repo: await repoOrNull(platform, project.id),
    retention: await findRetention(platform.store.db, project.id),
    production_lock: await productionLockOf(platform.store.db, project.id),
    deployments,
    domains: await domainsOf(platform, project),
    suspended: suspension ? describeSuspension(suspension) : null,
  }
}

export const describeProject = (platform: Pick<Platform, 'urls'>, row: ProjectWithOrg): Project => ({
  id: row.id,
  name: row.name,
  org: row.org_name,
  url: platform.urls.site(row.name),
  active_deployment_id: row.active_deployment_id,
  expires_at: isoTimeOrNull(row.expires_at),
  created_at: isoTime(row.created_at),
})
