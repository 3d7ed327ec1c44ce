// Outbound email.
export interface Mail {
  to: string
  subject: string
  text: string
  /** The address for replies, if it is not the sender's. */
  replyTo?: string
  messageId?: string
  attachments?: { filename: string; content: Buffer; contentType: string }[]
}

export interface Mailer {
  /** False if there is no mail server at all. */
  readonly isConfigured: boolean
  /** Returns whether the mail server accepted the mail. False if none is configured. Never throws. */
  send(mail: Mail): Promise<boolean>
  /** Signs in at the mail server and sends nothing. Throws if that fails. */
  check(): Promise<void>
  close(): void
}

export const noMailer: Mailer = {
  isConfigured: false,
  send: async () => false,
  check: async () => undefined,
  close: () => undefined,
}
