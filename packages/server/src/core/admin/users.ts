// All accounts of the platform, as its operator sees them.
import type { AdminUser } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { PageRequest } from '../../lib/page.ts'
import { countedProjects, listUsers, projectsUse, usesOf } from '../../store/admin/users.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'

const largeMs = 10 * minuteMs
const largeAtMost = 10_000

export async function users(
  platform: Rows & Pick<Platform, 'tokenUses'>,
  query: PageRequest & { search?: string | undefined },
): Promise<{ users: AdminUser[]; next_cursor: string | null }> {
  // So that nobody who has just signed in seems never to have been active.
  await platform.tokenUses.write()
  const { rows, next_cursor } = await listUsers(platform.store.db, query)
  return { users: await describeUsers(platform, rows), next_cursor }
}

type ProjectsUse = Awaited<ReturnType<typeof projectsUse>>

/** What accounts with very many projects use, for a while, by the store and the id of the account. */
const largeUses = new WeakMap<object, BoundedCache<ProjectsUse & { weight: 1; until: number }>>()

async function largeUse({ store, clock }: Rows, accountId: string): Promise<ProjectsUse> {
  const known = largeUses.get(store) ?? new BoundedCache(largeAtMost)
  largeUses.set(store, known)
  const last = known.get(accountId)
  if (last && clock.now() < last.until) return last
  const use = {
    ...(await projectsUse(store.db, accountId)),
    weight: 1 as const,
    until: clock.now() + largeMs,
  }
  known.set(accountId, use)
  return use
}

export async function describeUsers(
  platform: Rows,
  rows: readonly Omit<AccountRow, 'forge_id' | 'password_hash'>[],
): Promise<AdminUser[]> {
  const uses = await usesOf(
    platform.store.db,
    rows.map(({ id }) => id),
  )
  for (const [id, use] of uses)
    if (use.projects > countedProjects) Object.assign(use, await largeUse(platform, id))
  return rows.map(({ id, login, email, is_admin, created_at, disabled_at, delete_at }) => {
    const use = uses.get(id)
    return {
      ...{ id, login, email },
      admin: is_admin === 1,
      disabled_at: isoTimeOrNull(disabled_at),
      delete_at: isoTimeOrNull(delete_at),
      created_at: isoTime(created_at),
      last_used_at: isoTimeOrNull(use?.lastUsedAt ?? null),
      projects: use?.projects ?? 0,
      totp: use?.hasTotp ?? false,
      passkeys: use?.passkeys ?? 0,
      orgs: use?.orgs ?? 0,
      stored_bytes: use?.storedBytes ?? 0,
    }
  })
}
