// Tokens. A token is shown once and stored as a hash.

import { secretPrefix, type Token, type TokenKind } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newId, newSecret, sha256 } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page.ts'
import { countTokens, type Owner, ownerId } from '../../store/billing/plan-usage.ts'
import {
  insertToken,
  listTokens,
  lockAccount,
  revokeToken,
  scopedHash,
  type TokenWithProject,
} from '../../store/identity/accounts.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { Db, Tx } from '../../store/store.ts'
import type { Caller } from '../base/caller.ts'
import { requireRoom } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { type ProjectScope, projectFor } from '../orgs/rights.ts'

/** The label of a session's token. */
export const webConsoleLabel = 'Web console'

interface NewToken {
  kind: TokenKind
  label: string
  accountId: string
  orgId?: string
  /** The only project that it reaches. */
  project?: Pick<ProjectScope, 'id' | 'name'> | undefined
  expiresAt?: number | null
}

/** Also works inside a transaction. The secret is only in the returned value. */
export async function makeToken(db: Db, now: number, token: NewToken): Promise<Token & { token: string }> {
  const secret = secretPrefix + newSecret()
  const row: TokenWithProject = {
    id: newId('tok'),
    hash: token.project ? scopedHash(sha256(secret)) : sha256(secret),
    kind: token.kind,
    label: token.label,
    account_id: token.accountId,
    org_id: token.orgId ?? null,
    project_id: token.project?.id ?? null,
    project_name: token.project?.name ?? null,
    created_at: now,
    revoked_at: null,
    last_used_at: null,
    expires_at: token.expiresAt ?? null,
  }
  const { project_name, ...stored } = row
  await insertToken(db, stored)
  return { ...describeToken(row), token: secret }
}

export interface TokenInput<Kind> {
  kind: Kind
  label?: string | undefined
  /** ISO 8601; null or undefined for a token that never expires. */
  expires_at?: string | null | undefined
  /** The name of the only project that it reaches. */
  project?: string | null | undefined
}

export async function createToken(
  platform: PlanSettings & Rows,
  caller: Caller,
  input: TokenInput<'cli' | 'ai'>,
) {
  // This label marks sessions. They do not count against the plan and end with a password change.
  if (input.label === webConsoleLabel)
    throw new Fault(
      'invalid_request',
      `label: '${webConsoleLabel}' is for sessions of the dashboard; choose another`,
    )
  const now = platform.clock.now()
  const token = {
    kind: input.kind,
    label: input.label ?? '',
    accountId: caller.account.id,
    expiresAt: expiryOf(input, now),
    project: await projectOf(platform, caller, input),
  }
  return await platform.store.transact(async tx => {
    await lockAccount(tx, token.accountId)
    await requireRoomForToken(platform, tx, { account_id: token.accountId, org_id: null })
    await lockProjectOf(tx, token)
    return await makeToken(tx, now, token)
  })
}

/** Call it after locking the owner's row. Sessions do not count, so that sign-in always works. */
export async function requireRoomForToken(platform: PlanSettings, tx: Tx, owner: Owner): Promise<void> {
  const have = await countTokens(tx, owner, webConsoleLabel)
  await requireRoom(platform, tx, ownerId(owner), 'tokens', have)
}

/** The project that a new token is limited to, if there is one. The caller must be able to act on it. */
export async function projectOf(
  platform: Rows,
  caller: Caller,
  input: TokenInput<TokenKind>,
): Promise<ProjectScope | undefined> {
  if (input.project == null) return undefined
  if (input.kind === 'ai')
    throw new Fault(
      'invalid_request',
      'project: an ai token works at the AI gateway only, and reaches no project',
    )
  return await projectFor(platform, caller, input.project, 'member')
}

/** Keeps the project until the token is stored. */
export async function lockProjectOf(tx: Tx, { project }: Pick<NewToken, 'project'>): Promise<void> {
  if (project && !(await lockProject(tx, project.id)))
    throw new Fault('not_found', `The project '${project.name}' was deleted meanwhile.`)
}

const longestLife = 10 * 366 * dayMs

export function expiryOf({ expires_at }: TokenInput<unknown>, now: number): number | null {
  if (expires_at == null) return null
  const at = Date.parse(expires_at)
  if (!(at > now && at <= now + longestLife))
    throw new Fault('invalid_request', 'expires_at: must be a time in the future, at most ten years from now')
  return at
}

export async function ownTokens(
  platform: Pick<Platform, 'store' | 'tokenUses'>,
  caller: Caller,
  page: PageRequest,
) {
  await platform.tokenUses.write()
  const { rows, next_cursor } = await listTokens(platform.store.db, caller.account.id, page)
  const tokens = rows.map(row => ({ ...describeToken(row), current: row.id === caller.tokenId }))
  return { tokens, next_cursor }
}

export async function revokeOwnToken(platform: Rows, caller: Caller, id: string): Promise<void> {
  const revoked = await revokeToken(platform.store.db, caller.account.id, id, platform.clock.now())
  if (!revoked) throw new Fault('not_found', 'There is no such token of yours, or it is revoked already.')
}

export const describeToken = (row: TokenWithProject): Token => ({
  id: row.id,
  kind: row.kind,
  label: row.label,
  project: row.project_name,
  created_at: isoTime(row.created_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
  expires_at: isoTimeOrNull(row.expires_at),
  revoked_at: isoTimeOrNull(row.revoked_at),
})
