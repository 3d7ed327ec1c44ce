// Approving and denying device logins.
import type { ApiError } from '@svc/contract/client'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({})
const start = () => dashboard.platform.client()('POST /auth/device', { body: {} })
const poll = (device_code: string) =>
  dashboard.platform.client()('POST /auth/device/poll', { body: { device_code } })

it('the dashboard shows what is being approved, and gives the device its token', async () => {
  const person = await dashboard.platform.owner()
  const { user_code, device_code, verification_uri } = await start()
  expect(verification_uri).toBe(`${dashboard.platform.dashboardUrl}/device`)

  const page = await dashboard.openAs(person, '/device')
  await page.getByLabel('Code').pressSequentially(user_code.replace('-', '').toLowerCase())
  expect(await page.getByLabel('Code').inputValue()).toBe(user_code)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Approve this device?' }).waitFor()
  await page.getByText('127.0.0.1').waitFor()
  await page.getByText('node').waitFor()
  await page.getByText('full access to your account').waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('You can close this window').waitFor()

  const { token } = await poll(device_code)
  const me = await dashboard.platform.client(token)('GET /me')
  expect(me.gitforge_login).toBe(person.login)
})

it('the dashboard denies a device whose code is in the URL', async () => {
  const person = await dashboard.platform.owner()
  const { user_code, device_code } = await start()
  const page = await dashboard.openAs(person, `/device?user_code=${user_code}`)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'Device denied' }).waitFor()
  await expect(poll(device_code)).rejects.toMatchObject({ code: 'access_denied' } satisfies Partial<ApiError>)
})

it('the dashboard says that a code is unknown, and lets the user correct a character in the middle', async () => {
  const person = await dashboard.platform.owner()
  const { user_code } = await start()
  const wrong = `${user_code[0] === 'B' ? 'C' : 'B'}${user_code.slice(1)}`
  const page = await dashboard.openAs(person, `/device?code=${wrong}`)
  await page.getByText('This code is unknown, used or expired.').waitFor()
  const code = page.getByLabel('Code')
  await code.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await page.keyboard.type(user_code.charAt(0))
  expect(await code.inputValue()).toBe(user_code)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Approve this device?' }).waitFor()
})

it('the link of a login carries the code, and the user still has to approve it', async () => {
  const person = await dashboard.platform.owner()
  const { user_code, device_code, verification_uri_complete = '' } = await start()
  expect(verification_uri_complete).toBe(`${dashboard.platform.dashboardUrl}/device?code=${user_code}`)
  const page = await dashboard.openAs(person, `/device?code=${user_code}`)
  await page.getByRole('heading', { name: 'Approve this device?' }).waitFor()
  await page.getByText(user_code, { exact: true }).waitFor()
  await expect(poll(device_code)).rejects.toMatchObject({ code: 'authorization_pending' })
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('You can close this window').waitFor()
})
