// Pictures of live sites. A row also says that a picture is being made, or that it could not be made.
import type { Db, Tx } from '../store.ts'
import type { ProjectPictureRow } from '../tables.ts'

/** A live deployment without a picture. */
interface MissingPicture {
  project_id: string
  name: string
  deployment_id: string
  attempts: number
}

/**
 * The next public site without a picture of its live deployment. A server app must be running: a picture does not wake it.
 * Shares have none.
 */
export const findMissingPicture = (db: Db, now: number): Promise<MissingPicture | undefined> =>
  db
    .selectFrom('projects')
    .innerJoin('deployments', 'deployments.id', 'projects.active_deployment_id')
    .leftJoin('project_pictures as known', join =>
      join
        .onRef('known.project_id', '=', 'projects.id')
        .onRef('known.deployment_id', '=', 'projects.active_deployment_id'),
    )
    .select(eb => [
      'projects.id as project_id',
      'projects.name',
      'deployments.id as deployment_id',
      eb.fn.coalesce('known.attempts', eb.lit(0)).as('attempts'),
    ])
    .where('projects.access_mode', '=', 'public')
    .where('projects.expires_at', 'is', null)
    .where(eb => eb.or([eb('known.project_id', 'is', null), eb('known.next_at', '<=', now)]))
    .where(eb =>
      eb.or([
        eb('deployments.kind', '=', 'static'),
        eb.exists(
          eb
            .selectFrom('app_instances')
            .select('app_instances.id')
            .whereRef('app_instances.deployment_id', '=', 'deployments.id')
            .where('app_instances.state', '=', 'ready'),
        ),
      ]),
    )
    .orderBy('deployments.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns false if another worker makes the picture. The former picture is shown meanwhile. */
export async function claimPicture(db: Db, missing: MissingPicture, until: number): Promise<boolean> {
  const { project_id, deployment_id, attempts } = missing
  const claim = { deployment_id, attempts: attempts + 1, next_at: until }
  const claimed = await db
    .insertInto('project_pictures')
    .values({ project_id, ...claim, hash: null, base64: null })
    .onConflict(c =>
      c
        .column('project_id')
        .doUpdateSet(claim)
        .where(eb =>
          eb.or([
            eb('project_pictures.deployment_id', '<>', deployment_id),
            eb('project_pictures.attempts', '=', attempts),
          ]),
        ),
    )
    .executeTakeFirst()
  return (claimed.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Stores the result of an attempt, unless another deployment went live or the site was protected meanwhile. */
export async function endPicture(
  db: Db,
  { project_id, deployment_id }: MissingPicture,
  to: Partial<Pick<ProjectPictureRow, 'next_at' | 'hash' | 'base64'>>,
): Promise<void> {
  await db
    .updateTable('project_pictures')
    .set(to)
    .where('project_id', '=', project_id)
    .where('deployment_id', '=', deployment_id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('projects')
          .select('projects.id')
          .where('projects.id', '=', project_id)
          .where('projects.access_mode', '=', 'public'),
      ),
    )
    .execute()
}

export async function deletePicture(tx: Tx, projectId: string): Promise<void> {
  await tx.deleteFrom('project_pictures').where('project_id', '=', projectId).execute()
}

export async function findPicture(db: Db, projectId: string) {
  const row = await db
    .selectFrom('project_pictures')
    .select(['hash', 'base64'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.hash && row.base64 ? { hash: row.hash, base64: row.base64 } : undefined
}

export async function pictureHash(db: Db, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom('project_pictures')
    .select('hash')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.hash ?? null
}
