// Real SMTP servers on the loopback address.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

interface Listening {
  /** The value for SVCD_SMTP_URL. */
  url: string
  stop(): Promise<void>
}

export interface MailServer extends Listening {
  /** All messages that the server accepted. */
  taken: { to: string[]; raw: string }[]
  /** How many messages the server refuses before it accepts one. */
  refusals: number
}

/** svcd gives up on a mail server after 10 seconds, which a busy machine exceeds. The mail of a test would be lost. */
const patience = 'connectionTimeout=200000&greetingTimeout=200000&socketTimeout=200000'

/** Starts a server that treats messages as the test says. */
export async function listenForMail(behaviour: SMTPServerOptions): Promise<Listening> {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    // The server looks the client's name up before its greeting, which takes long if no DNS server answers.
    disableReverseLookup: true,
    ...behaviour,
  })
  // A client that hangs up is no fault of the server.
  smtp.on('error', () => undefined)
  const tcp = smtp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  return {
    url: `smtp://127.0.0.1:${(tcp.address() as AddressInfo).port}?${patience}`,
    stop: () => new Promise<void>(resolve => smtp.close(() => resolve())),
  }
}

/** Starts a server that keeps the messages it accepts. */
export async function startMailServer(): Promise<MailServer> {
  const listening = await listenForMail({
    onData(stream, { envelope }, done) {
      text(stream).then(raw => {
        if (server.refusals-- > 0) return done(new Error('Try again later'))
        server.taken.push({ to: envelope.rcptTo.map(({ address }) => address), raw })
        done()
      }, done)
    },
  })
  const server: MailServer = { ...listening, taken: [], refusals: 0 }
  return server
}

/** Returns the first attachment of a message, decoded. */
export function attachmentOf(raw: string): { head: string; content: Buffer } {
  const part = raw.split(/\r\n--/).find(candidate => /content-disposition: attachment/i.test(candidate)) ?? ''
  const end = part.indexOf('\r\n\r\n')
  return { head: part.slice(0, end), content: Buffer.from(part.slice(end), 'base64') }
}
