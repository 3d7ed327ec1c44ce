// Buying, changing and cancelling a plan in the browser, through the sandbox's payment page.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

/** Says who the invoice is for, which the page asks before the first payment. */
async function payAs(page: Page, name: string, country = 'NL'): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Who is the invoice for?' })
  const next = dialog.getByRole('button', { name: 'Continue to pay for Pro' })
  expect(await next.isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill(name)
  expect(await next.isDisabled()).toBe(true)
  await dialog.getByLabel('Country').selectOption(country)
  await next.click()
}

it('the dashboard buys a plan, upgrades it after the price was shown, cancels and resumes it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account')
  await page.getByRole('link', { name: 'Billing' }).click()
  await page.getByText('Free of charge').waitFor()
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await payAs(page, 'Ada Works')

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
  await page.getByText(/To change to a smaller plan, resume Business first/).waitFor()
  expect(await page.getByRole('button', { name: 'Change to Pro' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Resume plan' }).click()
  await page.getByText(/^Renews on/).waitFor()
})

it('the dashboard asks for the invoice details before the first payment, and names no VAT where none is charged', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/billing')
  await page.getByText('Prices are for a month, without VAT.').waitFor()
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await payAs(page, 'Ada Works', 'US')
  await page.getByRole('button', { name: 'Pay €20.00' }).click()
  await page
    .getByRole('region', { name: 'Plan', exact: true })
    .getByText('€20 a month', { exact: true })
    .waitFor()
  await page.getByText('Prices are for a month.', { exact: true }).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada Works')

  await page.getByRole('button', { name: 'Change to Business' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Charged now').waitFor()
  expect(await dialog.innerText()).not.toContain('VAT')
})

it('the dashboard says that a payment was declined, and keeps invoice details', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/billing')
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await payAs(page, 'Ada')
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
