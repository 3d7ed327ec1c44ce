// Who calls: the account or org behind a token, as every rule sees it.
import type { Account, AuditAction } from '@svc/contract'

export interface Caller {
  tokenId: string
  kind: 'cli' | 'deploy'
  account: { id: string; login: string; forgeId: number; isAdmin: boolean }
  /** The org that owns a deploy token. */
  org: { id: string; name: string } | undefined
  /** The only project that the token reaches. */
  project?: { id: string; name: string } | undefined
  me: Account
  /** Where the call came from, for the audit log. */
  ip: string
  /** What the called endpoint may write to the audit log. Left out for calls that are not of the API, such as a git push. */
  audits?: readonly AuditAction[] | undefined
}
