// Forms, their submissions, and the people who get email about them.

export interface FormRow {
  project_id: string
  name: string
  /** `on` (the owners), `off`, or an address. */
  notify: string
  /** Null: submissions are kept. */
  retention_days: number | null
  created_at: number
  /** Of all its submissions. */
  stored_bytes: number
  /** How many submissions of bots were dropped. */
  trapped: number
}

export interface SubmissionRow {
  id: string
  project_id: string
  form: string
  /** JSON object. */
  fields: string
  country: string | null
  referrer: string | null
  /** 1 until the email that tells of it was taken by the mail server. */
  mail_due: number
  /** 1 once a member has opened it. */
  is_read: number
  /** 1 if a member marked it as spam. */
  is_spam: number
  created_at: number
}

export interface MailRecipientRow {
  /** An account's or an org's. */
  owner_id: string
  /** In lower case. */
  address: string
  token_hash: string
  asked_at: number
  confirmed_at: number | null
}
