// Finds the caller of a request: the account or org behind a token.
import { Fault } from '../../lib/fault.ts'
import { sha256 } from '../../lib/ids.ts'
import { findByTokenHash } from '../../store/identity/accounts.ts'
import type { Caller } from '../base/caller.ts'
import type { TokenParts } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { requireEnabled } from './disabled.ts'

type TokenOwner = Pick<Caller, 'tokenId' | 'kind' | 'account' | 'org' | 'project' | 'me'>
type TokenOwnerRow = Awaited<ReturnType<typeof findByTokenHash>>['rows'][number]

/** The owners of rows. The store gives the same row for the same token until the next write. */
const owners = new WeakMap<TokenOwnerRow, TokenOwner>()

/** `undefined` if the token is unknown, revoked, or an `ai` token. Throws if it has expired, or if its account is disabled. */
export async function callerBehind(
  platform: TokenParts,
  secret: string,
  ip: string,
): Promise<Caller | undefined> {
  const { rows } = await findByTokenHash(platform.store.db, sha256(secret))
  const row = rows[0]
  if (!row || row.kind === 'ai') return undefined
  if (row.expires_at !== null && row.expires_at <= platform.clock.now()) throw expired(row.expires_at)
  requireEnabled(row, 'unauthorized')
  // The project was deleted while the query ran.
  if (row.project_id && !row.project_name) return undefined
  platform.tokenUses.note(row.token_id, row.last_used_at)
  let owner = owners.get(row)
  if (owner === undefined) {
    owner = ownerOf(row, row.kind)
    owners.set(row, owner)
  }
  // Named one by one: with `...owner` each call would take longer.
  const { tokenId, kind, account, org, project, me } = owner
  return { tokenId, kind, account, org, project, me, ip, audits: undefined }
}

function ownerOf(row: TokenOwnerRow, kind: Caller['kind']): TokenOwner {
  const org = row.org_id && row.org_name ? { id: row.org_id, name: row.org_name } : undefined
  const project =
    row.project_id && row.project_name ? { id: row.project_id, name: row.project_name } : undefined
  const isAdmin = kind === 'cli' && row.is_admin === 1 && !project
  return {
    tokenId: row.token_id,
    kind,
    account: { id: row.account_id, login: row.login, forgeId: row.forge_id, isAdmin },
    org,
    project,
    me: {
      id: row.account_id,
      gitforge_id: row.github_id ?? row.forge_id,
      gitforge_login: row.login,
      email: row.email,
      token_kind: kind,
      org: org?.name ?? null,
      created_at: isoTime(row.created_at),
      platform_admin: isAdmin,
      ...(row.delete_at !== null && {
        delete_at: isoTime(row.delete_at),
        delete_by: row.delete_by ?? 'owner',
      }),
      ...(project && { project: project.name }),
    },
  }
}

const expired = (at: number): Fault =>
  new Fault(
    'unauthorized',
    `This token expired at ${isoTime(at)}. Create a new one: in the dashboard under Access tokens, or with 'svc token cli'.`,
  )
