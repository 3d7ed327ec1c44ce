// The generation of a project's apps. A higher one makes its running apps restart.
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import { usable } from './instances.ts'

/** Makes the running apps of a project restart. */
export async function nextGeneration(tx: Tx, projectId: string): Promise<void> {
  await tx
    .insertInto('app_generations')
    .values({ project_id: projectId, generation: 1 })
    .onConflict(c =>
      c.column('project_id').doUpdateSet(eb => ({ generation: eb('app_generations.generation', '+', 1) })),
    )
    .execute()
}

/** After `nextGeneration`: the apps of these deployments keep running or starting, if they were not to be restarted before. */
export async function keepRunning(
  tx: Tx,
  projectId: string,
  deploymentIds: readonly string[],
): Promise<void> {
  if (deploymentIds.length === 0) return
  const generation = await findGeneration(tx, projectId)
  await tx
    .updateTable('app_instances')
    .set({ generation })
    .where('deployment_id', 'in', deploymentIds)
    .where('state', 'in', usable)
    .where('generation', '=', generation - 1)
    .execute()
}

/** An instance is about to read its variables, so it needs no restart for earlier changes. */
export async function catchUp(db: Db, instanceId: string, projectId: string): Promise<void> {
  await db
    .updateTable('app_instances')
    .from('app_generations')
    .set(eb => ({ generation: eb.ref('app_generations.generation') }))
    .where('app_generations.project_id', '=', projectId)
    .where('app_instances.id', '=', instanceId)
    .whereRef('app_instances.generation', '<', 'app_generations.generation')
    .execute()
}

/** Starts that wait after a crash begin at once. */
export async function skipPauses(tx: Tx, projectId: string): Promise<void> {
  await tx
    .updateTable('app_instances')
    .set({ not_before: 0 })
    .where('project_id', '=', projectId)
    .where('state', 'in', ['wanted', 'starting'])
    .execute()
}

/** 0 if the apps of the project were never restarted. */
export async function findGeneration(db: Db, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('app_generations')
    .select('generation')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.generation ?? 0
}

/** Those that run with an older generation than their project's. */
export const listOutdated = prepared((db, nodeId: string) =>
  db
    .selectFrom('app_instances')
    .innerJoin('app_generations', 'app_generations.project_id', 'app_instances.project_id')
    .selectAll('app_instances')
    .select('app_generations.generation as wanted_generation')
    .where('app_instances.node_id', '=', nodeId)
    .where('app_instances.state', '=', 'ready')
    .whereRef('app_generations.generation', '>', 'app_instances.generation'),
)
