// Email through an SMTP server.
import nodemailer from 'nodemailer'
import type { Mailer } from './port.ts'

export function smtpMailer(url: string, from: string, onError: (error: unknown) => void): Mailer {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
  const transport = nodemailer.createTransport({ url, ...timeouts })
  return {
    isConfigured: true,
    async send(mail) {
      try {
        const { accepted } = await transport.sendMail({
          from,
          ...mail,
          disableFileAccess: true,
          disableUrlAccess: true,
        })
        return accepted.length > 0
      } catch (error) {
        onError(error)
        return false
      }
    },
    check: async () => {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}
