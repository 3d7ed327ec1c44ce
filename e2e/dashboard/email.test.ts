// The email address of the account: changed with the password, and confirmed with the link in the email.
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { startMailServer } from '@svc/server/dist/testing/mail-server.js'
import { afterAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const mail = await startMailServer()
afterAll(() => mail.stop())
const dashboard = useDashboard({ SVCD_SMTP_URL: mail.url, SVCD_MAIL_FROM: 'svc@example.com' })

it('a change of the email address can be cancelled before the link is opened', async () => {
  const person = await dashboard.platform.person()
  const client = dashboard.platform.client(person.token)
  await client('PUT /me/email', { body: { email: 'grace@example.com', password: person.password } })
  const page = await dashboard.openAs(person, '/account')
  const card = page.getByRole('region', { name: 'Email address' })
  await card.getByText('Open the link that was sent to grace@example.com').waitFor()
  await card.getByRole('button', { name: 'Cancel the change' }).press('Enter')
  await page.getByText('The change was cancelled.').waitFor()
  await card.getByText('Open the link').waitFor({ state: 'detached' })
  expect(await client('GET /me/security')).toMatchObject({ pending_email: null })
})

it('the dashboard changes the email address when the link in the email is opened', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account')
  const card = page.getByRole('region', { name: 'Email address' })
  await card.getByText('None yet.').waitFor()
  await card.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await page.keyboard.type('ada@example.com')
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Change' }).click()
  await card.getByText('Open the link that was sent to ada@example.com').waitFor()
  const sent = mail.taken.find(({ to }) => to.includes('ada@example.com'))?.raw.replace(/=\r\n/g, '')
  const link = /http\S+\/confirm-email\/\S+/.exec(sent ?? '')?.[0] ?? ''
  await page.goto(link)
  await page.getByText('ada@example.com becomes the email address').waitFor()
  expect((await dashboard.platform.client(person.token)('GET /me')).email).toBeNull()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your email address is now ada@example.com.').waitFor()
  await card.getByText('ada@example.com', { exact: true }).waitFor()
  expect(await card.getByText('Open the link').count()).toBe(0)
  await page.goto(link)
  await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
})

it('a person who forgot the password chooses a new one with the link in an email', async () => {
  const person = await dashboard.platform.person()
  const client = dashboard.platform.client(person.token)
  await client('PUT /me/email', { body: { email: 'linus@example.com', password: person.password } })
  const textOf = (subject: string) =>
    mail.taken
      .filter(({ to, raw }) => to.includes('linus@example.com') && raw.includes(subject))
      .at(-1)
      ?.raw.replace(/=\r\n/g, '')
      .replaceAll('=3D', '=') ?? ''
  const confirm = /confirm-email\/([\w-]+)/.exec(textOf('Confirm your email'))?.[1] ?? ''
  await client('POST /me/email/confirm', { body: { token: confirm } })

  const page = await dashboard.open(`${dashboard.platform.dashboardUrl}/signin`)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Login or email address').fill('linus@example.com')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('Look at your email').waitFor()
  const link = await eventually(() => /http\S+#reset=\S+/.exec(textOf('A new password for svc'))?.[0])
  await page.goto(link ?? '')
  await page.getByLabel('New password').fill('a quite different horse')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password was changed').waitFor()
  await page.goto('about:blank')
  await page.goto(link ?? '')
  await page.getByLabel('New password').fill('a quite different horse')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('This link does not work any more').waitFor()
})
