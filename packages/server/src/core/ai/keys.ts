// Finds the owner of a token of the AI gateway.
import { sha256 } from '../../lib/ids.ts'
import { findByTokenHash } from '../../store/identity/accounts.ts'
import type { TokenParts } from '../base/platform.ts'
import { requireAccountNotSuspended, requireNotSuspended } from '../base/suspension.ts'
import { isoTime } from '../base/times.ts'

export interface AiKey {
  tokenId: string
  /** The account or org that the token belongs to. Its usage is counted. */
  ownerId: string
}

const create = "Create one with 'svc token ai'."

/** Returns why the token is refused, if it is. Throws `suspended` (403) if its account or its project is suspended. */
export async function aiKeyBehind(
  platform: TokenParts,
  secret: string,
): Promise<AiKey | { refused: string }> {
  const { rows } = await findByTokenHash(platform.store.db, sha256(secret))
  const row = rows[0]
  if (!row) return { refused: `The token is unknown or revoked. ${create}` }
  if (row.kind !== 'ai')
    return {
      refused: `This is a token of the kind '${row.kind}', and the AI gateway needs an 'ai' token. ${create}`,
    }
  if (row.disabled_at !== null)
    return { refused: 'The account of this token is disabled. Ask the operator of the platform.' }
  if (row.expires_at !== null && row.expires_at <= platform.clock.now())
    return { refused: `This token expired at ${isoTime(row.expires_at)}. ${create}` }
  if (row.org_id === null) await requireAccountNotSuspended(platform.store.db, row.account_id)
  if (row.project_id !== null) await requireNotSuspended(platform.store.db, row.project_id)
  platform.tokenUses.note(row.token_id, row.last_used_at)
  return { tokenId: row.token_id, ownerId: row.org_id ?? row.account_id }
}
