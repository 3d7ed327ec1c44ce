// Outbound email.
export interface Mail {
  to: string
  subject: string
  text: string
  /** Who gets the answer, where that is not the sender. */
  replyTo?: string
  messageId?: string
  attachments?: { filename: string; content: Buffer; contentType: string }[]
}

export interface Mailer {
  /** False if there is no mail server at all. */
  readonly isConfigured: boolean
  /** Whether the mail server accepted it. Also false if none is configured. Never throws. */
  send(mail: Mail): Promise<boolean>
  close(): void
}

export const noMailer: Mailer = {
  isConfigured: false,
  send: async () => false,
  close: () => undefined,
}
