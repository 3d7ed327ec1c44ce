// Buying, changing and cancelling a plan in the browser, through the sandbox's payment page.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the dashboard buys a plan, upgrades it after the price was shown, cancels and resumes it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account')
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.getByText('Free of charge').waitFor()
  await page.getByRole('button', { name: 'Change to Pro' }).click()

  await page.getByText('Sandbox: no real money').waitFor()
  await page.getByText('€24.20').first().waitFor()
  await page.getByRole('button', { name: 'Pay €24.20' }).click()
  await page.getByText('€20 a month, plus VAT').waitFor()
  await page.getByText('Thank you. The payment page is done.').waitFor()

  await page.getByRole('button', { name: 'Change to Business' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Charged now').waitFor()
  await dialog.getByRole('button', { name: /^Pay €95\.\d\d$/ }).click()
  await page.getByText('You have the plan Business.').waitFor()
  await page.getByText('€99 a month, plus VAT').waitFor()

  await page.getByRole('button', { name: 'Cancel plan' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel plan' }).click()
  await page.getByText(/Business is cancelled and ends on/).waitFor()
  await page.getByRole('button', { name: 'Resume plan' }).click()
  await page.getByText(/^Renews on/).waitFor()
})

it('the dashboard says that a payment was declined, and keeps invoice details', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/billing')
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await page.getByRole('button', { name: 'Decline the payment' }).click()
  await page.getByText('The payment was declined. Nothing was charged.').waitFor()

  await page.getByLabel('Name').fill('Ada Works')
  await page.getByLabel('Country').selectOption('US')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No VAT is charged outside the EU.').waitFor()
  await page.reload()
  await page.getByLabel('Name').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada Works')
})
