// A real SMTP server on the loopback address that keeps the messages it accepts.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface MailServer {
  /** The value for SVCD_SMTP_URL. */
  url: string
  /** All messages that the server accepted. */
  taken: { to: string[]; raw: string }[]
  /** How many messages the server refuses before it accepts one. */
  refusals: number
  stop(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      text(stream).then(raw => {
        if (server.refusals-- > 0) return done(new Error('Try again later'))
        server.taken.push({ to: envelope.rcptTo.map(({ address }) => address), raw })
        done()
      }, done)
    },
  })
  smtp.on('error', () => undefined)
  const tcp = smtp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const server: MailServer = {
    url: `smtp://127.0.0.1:${(tcp.address() as AddressInfo).port}`,
    taken: [],
    refusals: 0,
    stop: () => new Promise<void>(resolve => smtp.close(() => resolve())),
  }
  return server
}

/** Returns the first attachment of a message, decoded. */
export function attachmentOf(raw: string): { head: string; content: Buffer } {
  const part = raw.split(/\r\n--/).find(candidate => /content-disposition: attachment/i.test(candidate)) ?? ''
  const end = part.indexOf('\r\n\r\n')
  return { head: part.slice(0, end), content: Buffer.from(part.slice(end), 'base64') }
}
