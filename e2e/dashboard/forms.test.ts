// The forms of a site: the snippet works as it stands, and what it sends is shown, exported and deleted.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard shows a form to paste, and then what visitors sent with it', async () => {
  const person = await dashboard.platform.owner()
  const { name, url } = await dashboard.platform.project(person)
  const page = await dashboard.openAs(person, `/projects/${name}/forms`)
  const snippet = await page.getByText('<form action="/_svc/forms/contact"').textContent()
  await dashboard.platform.deploy(person.token, name, { 'index.html': snippet ?? '' })

  const visitor = await dashboard.open(url)
  await visitor.getByLabel('Email').fill('ada@example.org')
  await visitor.getByLabel('Message').fill('Hello <b>there</b>\nsecond line')
  await visitor.getByRole('button', { name: 'Send' }).click()
  await visitor.getByRole('heading', { name: 'Thank you' }).waitFor()
  await visitor.getByRole('link', { name: 'Back to the site' }).click()
  await visitor.getByLabel('Email').waitFor()

  await page.reload()
  await page.getByText('1 unread').waitFor()
  await page.getByRole('link', { name: 'contact' }).click()
  await page.getByText('1 submission, newest first').waitFor()
  const views = page.getByRole('navigation', { name: 'Show' })
  await views.getByRole('link', { name: 'Unread 1' }).click()
  await page.getByRole('button', { name: 'ada@example.org' }).click()
  await page.getByRole('dialog').getByText('Hello <b>there</b> second line').waitFor()
  await views.getByRole('link', { name: 'Unread', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Mark as spam' }).click()
  await page.getByText('The submission was marked as spam.').waitFor()
  await views.getByRole('link', { name: 'Spam 1' }).click()
  await page.getByRole('button', { name: 'ada@example.org' }).click()
  await page.getByRole('button', { name: 'Not spam' }).click()
  await page.getByText('Nothing is marked as spam.').waitFor()
  await views.getByRole('link', { name: 'Submissions' }).click()
  await page.getByRole('button', { name: 'ada@example.org' }).waitFor()

  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe(`${name}-contact.csv`)
  expect(await readFile((await saved.path()) ?? '', 'utf8')).toContain('ada@example.org')

  await views.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('Another address').click()
  await page.getByLabel('Address', { exact: true }).fill('team@example.org')
  await page.getByRole('region', { name: 'Emails' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved, but this platform sends no email').waitFor()
  await page.getByLabel('Days').fill('0')
  await page.getByRole('region', { name: 'Retention' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter a number of days from 1 to 3650, or nothing.').waitFor()
  await page.getByLabel('Days').fill('30')
  await page.getByRole('region', { name: 'Retention' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Kept for 30 days.').waitFor()
  const { forms } = await dashboard.platform.client(person.token)('GET /projects/:name/forms', {
    params: { name },
  })
  expect(forms).toMatchObject([{ submissions: 1, notify: 'team@example.org', retention_days: 30 }])

  await views.getByRole('link', { name: 'Submissions' }).click()
  await page.getByRole('button', { name: 'ada@example.org' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete it for good' }).click()
  await page.getByText('There is nothing at the moment.').waitFor()
  await views.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete form' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete form' }).click()
  await page.getByText('No forms yet').waitFor()
})
