// What operators manage.

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
