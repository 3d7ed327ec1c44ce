// Who may do what with a project: one table. What the caller cannot see does not exist for them.
import type { Role } from '@svc/contract'
import { Fault } from '../lib/fault.ts'
import { findOrg, findProject, type ProjectWithOrg, roleIn } from '../store/projects.ts'
import type { Caller } from './callers.ts'
import type { Platform } from './platform.ts'

/** The least role in the owning org; a personal project's owner has every right. */
const needed = {
  see: 'member',
  deploy: 'member',
} as const satisfies Record<string, Role>

export type ProjectAction = keyof typeof needed

const rank: Record<Role, number> = { member: 1, admin: 2, owner: 3 }

export async function projectFor(
  platform: Platform,
  caller: Caller,
  name: string,
  action: ProjectAction,
): Promise<ProjectWithOrg> {
  const project = await findProject(platform.store.db, name)
  const role = project && (await roleOn(platform, caller, project))
  if (!project || !role) throw new Fault('not_found', `There is no project '${name}' that you can act on.`)
  if (rank[role] < rank[needed[action]])
    throw new Fault('forbidden', `This needs the role ${needed[action]} in the org '${project.org_name}'.`)
  return project
}

/** The org that the caller may work in. */
export async function orgFor(
  platform: Platform,
  caller: Caller,
  name: string,
): Promise<{ id: string; name: string }> {
  const org = await findOrg(platform.store.db, name)
  const visible =
    org &&
    (caller.org ? caller.org.id === org.id : await roleIn(platform.store.db, org.id, caller.account.id))
  if (!org || !visible) throw new Fault('not_found', `There is no org '${name}' that you belong to.`)
  return org
}

async function roleOn(
  platform: Platform,
  caller: Caller,
  project: ProjectWithOrg,
): Promise<Role | undefined> {
  if (caller.org) return project.org_id === caller.org.id ? 'member' : undefined
  if (project.account_id) return project.account_id === caller.account.id ? 'owner' : undefined
  return await roleIn(platform.store.db, project.org_id ?? '', caller.account.id)
}
