// Certificates of hosts below the platform's domain, where there is no wildcard certificate.
import { sql } from 'kysely'
import type { Db } from '../store.ts'

/** Projects with a deployment whose production host has no row yet. Temporary shares get theirs on demand. */
export async function projectsWithout(
  db: Db,
  domain: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return await db
    .selectFrom('projects')
    .leftJoin('certificates', join =>
      join.on('certificates.name', '=', sql<string>`projects.name || ${`.${domain}`}`),
    )
    .select(['projects.id', 'projects.name'])
    .where('certificates.name', 'is', null)
    .where('projects.active_deployment_id', 'is not', null)
    .where('projects.expires_at', 'is', null)
    .limit(limit)
    .execute()
}

/** Name and owner of the projects with these ids. */
export async function ownersAmong(
  db: Db,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, { name: string; owner: string }>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'name', sql<string>`coalesce(org_id, account_id)`.as('owner')])
    .where('id', 'in', projectIds)
    .execute()
  return new Map(rows.map(({ id, name, owner }) => [id, { name, owner }]))
}

/** How many certificates of an owner's hosts visitors have asked for that are not issued yet. */
export async function awaitedOnDemand(db: Db, owner: string): Promise<number> {
  const { count } = await db
    .selectFrom('certificates')
    .innerJoin('projects', 'projects.id', 'certificates.project_id')
    .select(eb => eb.fn.countAll<number | string>().as('count'))
    .where(sql`coalesce(projects.org_id, projects.account_id)`, '=', owner)
    .where('certificates.on_demand', '=', 1)
    .where('certificates.chain', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}
