// Strangers guess at a password. The limit that stops them must not lock the owner out.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({})

it('the dashboard lets the owner sign in from a known browser while strangers guess at the password', async () => {
  const { login, password } = await dashboard.platform.person()
  const page = await dashboard.open(dashboard.platform.dashboardUrl)
  const signIn = async (typed: string) => {
    await page.getByLabel('Login').fill(login)
    await page.getByLabel('Password', { exact: true }).fill(typed)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await signIn(password)
  await page.getByRole('button', { name: `Account: ${login}` }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  const stranger = dashboard.platform.client()
  const guess = () => stranger('POST /auth/signin', { body: { login, password: 'a wild guess' } })
  const codes = []
  for (let i = 0; i < 11; i++) codes.push(await guess().catch(error => error.code))
  expect(codes.at(-1)).toBe('rate_limit_exceeded')
  await signIn(password)
  await page.getByRole('button', { name: `Account: ${login}` }).waitFor()
})
