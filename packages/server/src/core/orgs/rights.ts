// Access rights to projects and orgs. A caller without access gets 404, as if the project did not exist.
import type { Role, RouteRole } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findOrg, type OrgWithIcon, roleIn } from '../../store/orgs/orgs.ts'
import { findFormerName } from '../../store/projects/former-names.ts'
import { findProject, findProjectWithOrg, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'

/** A project that the caller may act on, with their role over it. */
export type ProjectScope = ProjectWithOrg & { role: Role }
export type OrgScope = OrgWithIcon & { role: Role }

const rank: Record<Role, number> = { member: 1, admin: 2, owner: 3 }

export async function projectFor(
  platform: Rows,
  caller: Caller,
  name: string,
  needed: RouteRole,
): Promise<ProjectScope> {
  const project = await findProject(platform.store.db, name)
  const role = project && (await roleOn(platform, caller, project))
  if (!project) await tellNewName(platform, caller, name)
  if (!project || !role) throw new Fault('not_found', `There is no project '${name}' that you can act on.`)
  requireRole(role, needed, project.org_name)
  return { ...project, role }
}

/** Throws if the caller has lost the role since the project was found. It may have another name or owner by now. */
export async function confirmRole(
  platform: Rows,
  caller: Caller,
  { id, name }: ProjectScope,
  needed: RouteRole,
): Promise<void> {
  const project = await findProjectWithOrg(platform.store.db, id)
  if (!project) throw new Fault('not_found', `The project '${name}' was deleted meanwhile.`)
  const role = await roleOn(platform, caller, project)
  if (!role) throw new Fault('not_found', `You can no longer act on the project '${name}'.`)
  requireRole(role, needed, project.org_name)
}

/** Who may act on a project that was renamed lately is told its new name. */
async function tellNewName(platform: Rows, caller: Caller, name: string): Promise<void> {
  const { db } = platform.store
  const former = await findFormerName(db, name, platform.clock.now())
  const project = former && (await findProjectWithOrg(db, former.project_id))
  if (!project || !(await roleOn(platform, caller, project))) return
  throw new Fault(
    'not_found',
    `The project '${name}' is now called '${project.name}'. Use the new name: change it in svc.json, or pass --project ${project.name}.`,
  )
}

export async function orgFor(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  name: string,
  needed: RouteRole,
): Promise<OrgScope> {
  const org = caller.project ? undefined : await findOrg(platform.store.db, name)
  const role = org && (await roleInOrg(platform, caller, org.id))
  if (!org || !role) throw new Fault('not_found', `There is no org '${name}' that you belong to.`)
  requireRole(role, needed, org.name)
  return { ...org, role }
}

export const hasRole = (role: Role, needed: Role): boolean => rank[role] >= rank[needed]

export function requireRole(role: Role, needed: RouteRole, org: string | null): void {
  if (needed === 'self' || hasRole(role, needed)) return
  const where = org === null ? 'on the project' : `in the org '${org}'`
  throw new Fault('forbidden', `This needs the role ${needed} ${where}; yours is ${role}.`)
}

/** The only project that the caller's token reaches. `undefined` if the caller may no longer act on it. */
export async function onlyProject(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
): Promise<ProjectWithOrg | undefined> {
  const project = await findProjectWithOrg(platform.store.db, caller.project?.id ?? '')
  return project && (await roleOn(platform, caller, project)) ? project : undefined
}

async function roleOn(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  project: ProjectWithOrg,
): Promise<Role | undefined> {
  if (!caller.project) return await roleWithoutLimit(platform, caller, project)
  if (caller.project.id !== project.id) return undefined
  // A token for one project has the rights of a member in it, also if an owner created it.
  return (await roleWithoutLimit(platform, caller, project)) && 'member'
}

async function roleWithoutLimit(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  project: ProjectWithOrg,
): Promise<Role | undefined> {
  if (project.org_id) return await roleInOrg(platform, caller, project.org_id)
  return project.account_id === caller.account.id && !caller.org ? 'owner' : undefined
}

/** An org's own token has the rights of a member in its projects, also if an admin created it. */
async function roleInOrg(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  orgId: string,
): Promise<Role | undefined> {
  if (caller.org) return caller.org.id === orgId ? 'member' : undefined
  return await roleIn(platform.store.db, orgId, caller.account.id)
}
