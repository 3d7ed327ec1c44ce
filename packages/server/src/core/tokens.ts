// Tokens: made once, shown once, kept as a hash.
import { secretPrefix, type Token, type TokenKind } from '@svc/contract'
import { Fault } from '../lib/fault.ts'
import { newId, newSecret, sha256 } from '../lib/ids.ts'
import type { PageRequest } from '../lib/page.ts'
import { insertToken, listTokens, lockAccount, revokeToken } from '../store/accounts.ts'
import type { Db, Tx } from '../store/store.ts'
import type { TokenRow } from '../store/tables.ts'
import { countTokens, type Owner, ownerId } from '../store/usage.ts'
import type { Caller } from './callers.ts'
import { requireRoom } from './plans.ts'
import type { Platform } from './platform.ts'
import { isoTime, isoTimeOrNull } from './times.ts'

/** The label of a session's token. */
export const webConsoleLabel = 'Web console'

interface NewToken {
  kind: TokenKind
  label: string
  accountId: string
  orgId?: string
}

/** Works inside a transaction too. The secret exists only in what this returns. */
export async function makeToken(db: Db, now: number, token: NewToken): Promise<Token & { token: string }> {
  const secret = secretPrefix + newSecret()
  const row: TokenRow = {
    id: newId('tok'),
    hash: sha256(secret),
    kind: token.kind,
    label: token.label,
    account_id: token.accountId,
    org_id: token.orgId ?? null,
    created_at: now,
    revoked_at: null,
  }
  await insertToken(db, row)
  return { ...describeToken(row), token: secret }
}

export async function createToken(
  platform: Platform,
  caller: Caller,
  input: { kind: 'cli' | 'ai'; label?: string | undefined },
) {
  const token = { kind: input.kind, label: input.label ?? '', accountId: caller.account.id }
  return await platform.store.transact(async tx => {
    await lockAccount(tx, token.accountId)
    await requireRoomForToken(platform, tx, { account_id: token.accountId, org_id: null })
    return await makeToken(tx, platform.clock.now(), token)
  })
}

/** After taking the owner's row. Sessions of the web console are not counted: nobody is kept from signing in. */
export async function requireRoomForToken(platform: Platform, tx: Tx, owner: Owner): Promise<void> {
  const have = await countTokens(tx, owner, webConsoleLabel)
  await requireRoom(platform, tx, ownerId(owner), 'tokens', have)
}

export async function ownTokens(platform: Platform, caller: Caller, page: PageRequest) {
  const { rows, next_cursor } = await listTokens(platform.store.db, caller.account.id, page)
  return { tokens: rows.map(describeToken), next_cursor }
}

export async function revokeOwnToken(platform: Platform, caller: Caller, id: string): Promise<void> {
  const revoked = await revokeToken(platform.store.db, caller.account.id, id, platform.clock.now())
  if (!revoked) throw new Fault('not_found', 'There is no such token of yours, or it is revoked already.')
}

export const describeToken = (row: TokenRow): Token => ({
  id: row.id,
  kind: row.kind,
  label: row.label,
  created_at: isoTime(row.created_at),
  revoked_at: isoTimeOrNull(row.revoked_at),
})
