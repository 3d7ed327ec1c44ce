// Renames the slugs of branches that were no part of a host name: they began with `-`, contained `--`, or were `xn`.
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'

interface Tables {
  deployments: { branch_slug: string | null }
}

export async function branchSlugs(db: Kysely<Tables>): Promise<void> {
  const rows = await db
    .selectFrom('deployments')
    .select('branch_slug')
    .distinct()
    .where(eb =>
      eb.or([
        eb('branch_slug', 'like', '-%'),
        eb('branch_slug', 'like', '%--%'),
        eb('branch_slug', '=', 'xn'),
      ]),
    )
    .execute()
  for (const { branch_slug: from } of rows)
    if (from !== null)
      await db
        .updateTable('deployments')
        .set({ branch_slug: validSlug(from) })
        .where('branch_slug', '=', from)
        .execute()
}

/** A copy of the rule of core/projects/labels.ts as it was when this migration was written. */
function validSlug(slug: string): string {
  if (slug === 'xn') return `b-xn-${createHash('sha256').update('xn').digest('hex').slice(0, 6)}`
  const short = slug.replace(/-+/g, '-').replace(/^-|-$/g, '')
  return slug.startsWith('--') ? `b-${short}` : short
}
