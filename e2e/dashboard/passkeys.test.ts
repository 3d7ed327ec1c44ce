// Passkeys in a real browser, with an authenticator that Chromium simulates.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({})

/** A device that recognizes the person at once. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  return {
    recognizes: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

/** The simulated authenticator would take every offer in the login field at once, and nobody could press the button. */
async function offerNoPasskeys(page: Page): Promise<void> {
  const refuse = () => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false
  }
  await page.addInitScript(refuse)
  await page.evaluate(refuse)
}

it('the sign-in page lets the browser offer passkeys in the login field, beside the password', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.open('about:blank')
  // Stands in for the list that a browser shows below the field. Nobody chooses from it.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => true
    navigator.credentials.get = async options => {
      document.documentElement.dataset.asked = JSON.stringify([options?.mediation, options?.publicKey?.rpId])
      return await new Promise(() => undefined)
    }
  })
  await page.goto(`${dashboard.platform.dashboardUrl}/signin`)
  const login = page.getByLabel('Login')
  expect(await login.getAttribute('autocomplete')).toBe('username webauthn')
  const { hostname } = new URL(dashboard.platform.dashboardUrl)
  await page.locator(`html[data-asked='["conditional","${hostname}"]']`).waitFor()
  // The password works meanwhile.
  await login.fill(person.login)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Account: ${person.login}` }).waitFor()
})

it('the dashboard adds a passkey, signs in with it alone, confirms with it, and removes it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/account/security')
  const device = await addAuthenticator(page)
  await offerNoPasskeys(page)
  const dialog = page.getByRole('dialog')

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Work laptop')
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('The passkey Work laptop was added.').waitFor()
  const row = page.getByRole('listitem').filter({ hasText: 'Work laptop' }).first()
  await row.getByText('never used').waitFor()

  await page.getByRole('button', { name: 'Rename Work laptop' }).click()
  await dialog.getByLabel('Name').fill('Desk')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByText('The passkey is called Desk now.').waitFor()
  await page.getByRole('button', { name: 'Rename Desk' }).click()
  await dialog.getByLabel('Name').fill('Work laptop')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await row.waitFor()

  const account = page.getByRole('button', { name: `Account: ${person.login}` })
  await account.click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await device.recognizes(false)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await page.getByText('No passkey was chosen, or it took too long.').waitFor()
  await device.recognizes(true)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await account.waitFor()

  await page.goto(`${dashboard.platform.dashboardUrl}/account/security`)
  await row.getByText('last used just now').waitFor()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByRole('button', { name: 'Use a passkey instead' }).click()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('This device has a passkey for your account already.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Remove Work laptop' }).click()
  await dialog.getByRole('button', { name: 'Use a passkey instead' }).click()
  await dialog.getByRole('button', { name: 'Remove passkey' }).click()
  await page.getByText('The passkey Work laptop was removed.').waitFor()
  const { passkeys } = await dashboard.platform.client(person.token)('GET /me/security')
  expect(passkeys).toEqual([])

  await account.click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await page.getByText('This passkey is not known here any more.').waitFor()
})
