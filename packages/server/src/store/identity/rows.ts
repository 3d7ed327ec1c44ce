// Accounts, their tokens, and how people sign in.
import type { TokenKind } from '@svc/contract'

export interface AccountRow {
  id: string
  /** Number of the account at the git host. */
  forge_id: number
  login: string
  email: string | null
  password_hash: string | null
  is_admin: number
  created_at: number
  /** Null if the account may sign in. */
  disabled_at: number | null
  /** When it will be deleted. Null if nobody asked for that. */
  delete_at: number | null
  /** Who asked for that. If it was the operator, the owner cannot keep the account. */
  delete_by: 'owner' | 'operator' | null
}

/** An invitation to create an account. */
export interface AccountInviteRow {
  id: string
  email: string | null
  /** SHA-256 of the secret in the link, hex. */
  token_hash: string
  sender_id: string
  created_at: number
  expires_at: number
}

export interface TokenRow {
  id: string
  /** SHA-256 of the secret, hex; of a token for one project see `scopedHash`. */
  hash: string
  kind: TokenKind
  label: string
  /** Owner, or creator where an org owns the token. */
  account_id: string
  org_id: string | null
  /** The only project that it reaches. Null if it reaches all. */
  project_id: string | null
  created_at: number
  revoked_at: number | null
  /** Some minutes behind. Null if never used. */
  last_used_at: number | null
  /** Null if it never expires. */
  expires_at: number | null
}

export interface DeviceLoginRow {
  /** SHA-256 of the device code, hex. */
  code_hash: string
  user_code: string
  status: 'waiting' | 'approved' | 'denied' | 'used'
  /** Who approved it, or the account that a login at GitHub links. */
  account_id: string | null
  ip: string
  user_agent: string
  created_at: number
  expires_at: number
  polled_at: number | null
  /** What a login at GitHub needs until it ends, as sealed JSON; null for the built-in forge. */
  github: string | null
  /** How long the client must wait between two polls. */
  interval_ms: number
}

/** A new email address that was not confirmed yet. */
export interface EmailChangeRow {
  account_id: string
  email: string
  /** SHA-256 of the secret in the link, hex. */
  token_hash: string
  expires_at: number
}

/** The secret of an authenticator app. */
export interface TotpSecretRow {
  account_id: string
  /** AES-256-GCM, see lib/seal. */
  sealed: string
  key_id: string
  created_at: number
  /** Null until a code of the app was checked. */
  enabled_at: number | null
  /** The time step of the last code that was used. A code works once. */
  last_step: number
}

export interface RecoveryCodeRow {
  account_id: string
  /** SHA-256 of the code, hex. */
  hash: string
}

/** A sign-in whose password was right and that waits for the second factor. */
export interface SignInChallengeRow {
  /** SHA-256 of the secret, hex. */
  hash: string
  account_id: string
  expires_at: number
}

export interface PasskeyRow {
  id: string
  account_id: string
  /** The id that the authenticator gave it, base64url. */
  credential_id: string
  /** COSE, base64url. */
  public_key: string
  /** How often it was used, as the authenticator counts. Synced passkeys always say 0. */
  counter: number
  /** JSON array. */
  transports: string
  name: string
  /** The host of the dashboard that it was made for. */
  rp_id: string
  created_at: number
  last_used_at: number | null
}

export interface PasskeyChallengeRow {
  /** SHA-256 of the challenge, hex. */
  hash: string
  purpose: 'sign-in' | 'confirm' | 'add'
  /** Null for a sign-in, because the passkey says whose it is. */
  account_id: string | null
  expires_at: number
}
