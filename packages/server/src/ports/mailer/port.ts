// Outbound email.
export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Whether the mail server accepted it. False, too, where none is configured. Never throws. */
  send(mail: Mail): Promise<boolean>
  close(): void
}

export const noMailer: Mailer = { send: async () => false, close: () => undefined }
