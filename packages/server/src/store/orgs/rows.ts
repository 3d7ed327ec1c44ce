// Orgs, their members and what they share.
import type { Role } from '@svc/contract'

export interface OrgRow {
  id: string
  name: string
  display_name: string | null
  created_at: number
}

export interface MemberRow {
  org_id: string
  account_id: string
  role: Role
  joined_at: number
}

export interface OrgIconRow {
  org_id: string
  type: string
  /** Of the content; the `v` in its address. */
  hash: string
  base64: string
}

export interface InviteRow {
  id: string
  org_id: string
  email: string
  role: 'member' | 'admin'
  /** SHA-256 of the secret in the link, hex. */
  token_hash: string
  sender_id: string
  status: 'pending' | 'accepted' | 'revoked'
  created_at: number
  expires_at: number
}

/** An installation at the git host that its owner lets an org use; one org at a time. */
export interface SharedInstallationRow {
  installation_id: number
  org_id: string
  shared_by: string
  created_at: number
}
