// Finds the owner of a token of the AI gateway.
import { sha256 } from '../../lib/ids.ts'
import { findByTokenHash } from '../../store/identity/accounts.ts'
import type { TokenParts } from '../platform/platform.ts'

export interface AiKey {
  tokenId: string
  /** The account or org that the token belongs to. Its usage is counted. */
  ownerId: string
}

/** `undefined` if the token is unknown, revoked, expired, of a disabled account, or not of the kind `ai`. */
export async function aiKeyBehind(platform: TokenParts, secret: string): Promise<AiKey | undefined> {
  const { rows } = await findByTokenHash(platform.store.db, sha256(secret))
  const row = rows[0]
  if (row?.kind !== 'ai' || row.disabled_at !== null) return undefined
  if (row.expires_at !== null && row.expires_at <= platform.clock.now()) return undefined
  platform.tokenUses.note(row.token_id, row.last_used_at)
  return { tokenId: row.token_id, ownerId: row.org_id ?? row.account_id }
}
