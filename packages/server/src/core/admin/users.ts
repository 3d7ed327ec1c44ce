// All accounts of the platform, as its operator sees them.
import type { AdminUser } from '@svc/contract'
import type { PageRequest } from '../../lib/page.ts'
import { listUsers, usesOf } from '../../store/admin/users.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'

export async function users(
  platform: Pick<Platform, 'store' | 'tokenUses'>,
  query: PageRequest & { search?: string | undefined },
): Promise<{ users: AdminUser[]; next_cursor: string | null }> {
  // So that nobody who has just signed in seems never to have been active.
  await platform.tokenUses.write()
  const { rows, next_cursor } = await listUsers(platform.store.db, query)
  return { users: await describeUsers(platform, rows), next_cursor }
}

export async function describeUsers(
  { store }: Pick<Platform, 'store'>,
  rows: readonly Omit<AccountRow, 'forge_id' | 'password_hash'>[],
): Promise<AdminUser[]> {
  const uses = await usesOf(
    store.db,
    rows.map(({ id }) => id),
  )
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
