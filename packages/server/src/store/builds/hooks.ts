// Deploy hooks: secret URLs that build a branch.
import type { Db, Tx } from '../store.ts'
import type { DeployHookRow } from '../tables.ts'

export type DeployHookWithLogin = DeployHookRow & { created_by_login: string | null }
export type DeployHookOfProject = DeployHookRow & { project_name: string; org_id: string | null }

export async function insertDeployHook(tx: Tx, row: DeployHookRow): Promise<void> {
  await tx.insertInto('deploy_hooks').values(row).execute()
}

/** Newest first. */
export const listDeployHooks = (db: Db, projectId: string): Promise<DeployHookWithLogin[]> =>
  db
    .selectFrom('deploy_hooks')
    .leftJoin('accounts', 'accounts.id', 'deploy_hooks.created_by')
    .selectAll('deploy_hooks')
    .select('accounts.login as created_by_login')
    .where('project_id', '=', projectId)
    .orderBy('deploy_hooks.created_at', 'desc')
    .orderBy('deploy_hooks.id', 'desc')
    .execute()

export const findDeployHook = (db: Db, secretHash: string): Promise<DeployHookOfProject | undefined> =>
  db
    .selectFrom('deploy_hooks')
    .innerJoin('projects', 'projects.id', 'deploy_hooks.project_id')
    .selectAll('deploy_hooks')
    .select(['projects.name as project_name', 'projects.org_id'])
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst()

/** Returns false if it was revoked meanwhile. */
export async function markDeployHookUsed(tx: Tx, id: string, now: number): Promise<boolean> {
  const used = await tx
    .updateTable('deploy_hooks')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/** Returns its name. `undefined` if the project has no such hook. */
export async function deleteDeployHook(tx: Tx, projectId: string, id: string): Promise<string | undefined> {
  const deleted = await tx
    .deleteFrom('deploy_hooks')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning('name')
    .executeTakeFirst()
  return deleted?.name
}
