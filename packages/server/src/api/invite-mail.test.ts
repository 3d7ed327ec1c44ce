import type { SMTPServerOptions } from 'smtp-server'
import { expect, it, onTestFinished } from 'vitest'
import { listenForMail } from '../testing/mail-server.ts'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { makeTeam } from '../testing/team.ts'

/** A real mail server, and a platform that sends its mail through it. */
async function platformWithMail(behaviour: SMTPServerOptions) {
  const mail = await listenForMail(behaviour)
  const server = await TestServer.start('sqlite', {
    SVCD_SMTP_URL: mail.url,
    SVCD_MAIL_FROM: 'svc <noreply@example.com>',
    SVCD_LOG_LEVEL: 'silent',
  })
  onTestFinished(async () => {
    await server.remove()
    await mail.stop()
  })
  return { server, stop: mail.stop }
}

async function invite(server: TestServer) {
  const team = await makeTeam(server)
  const body = { email: 'carol@example.com' }
  return { team, ...(await send(server, `POST /orgs/${team.org}/invites`, team.owner, body)) }
}

it('the API sends the link by email, and says so', async () => {
  const received: { from: string; to: string[]; text: string }[] = []
  const { server } = await platformWithMail({
    onData(stream, { envelope }, done) {
      let text = ''
      stream.on('data', chunk => {
        text += chunk
      })
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  const { team, status, json } = await invite(server)
  expect([status, json.email_sent]).toEqual([201, true])
  const letter = received.at(-1)
  expect(letter).toMatchObject({ from: 'noreply@example.com', to: ['carol@example.com'] })
  const text = letter!.text.replace(/=\r\n/g, '').replace(/=3D/g, '=')
  expect(text).toContain(json.invite_url)
  expect(text).toContain(`Subject: ${team.owner.login} invites you to ${team.org}`)
})

it('the API says that no email was sent when the mail server refuses the recipient', async () => {
  const { server } = await platformWithMail({
    onRcptTo: (_, __, done) => done(new Error('No such mailbox here')),
  })
  const { status, json } = await invite(server)
  expect([status, json.email_sent]).toEqual([201, false])
})

it('the API says that no email was sent when the mail server refuses the message', async () => {
  const { server } = await platformWithMail({
    onData(stream, _, done) {
      stream.resume()
      stream.on('end', () => done(new Error('Looks like spam')))
    },
  })
  expect((await invite(server)).json.email_sent).toBe(false)
})

it('the API creates the invite even if the mail server cannot be reached', async () => {
  const { server, stop } = await platformWithMail({})
  await stop()
  const { team, status, json } = await invite(server)
  expect([status, json.email_sent]).toEqual([201, false])
  const secret = json.invite_url.split('/').at(-1)
  const accepted = await send(server, `POST /invites/${secret}/accept`, team.outsider)
  expect(accepted.status).toBe(200)
})

it('the API invites one address ten times a day at most, whoever asks', async () => {
  const { server } = await platformWithMail({})
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await invite(server)).status)
  expect(statuses).toEqual([...Array<number>(10).fill(201), 429])
})
