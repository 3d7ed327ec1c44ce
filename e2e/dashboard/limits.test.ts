// What an account and an org use, where the platform has no billing.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard({ SVCD_BILLING: 'off', SVCD_LIMIT_PROJECTS: '7' })

it('the pages of an account and of an org say what is used and what is allowed', async () => {
  const person = await dashboard.platform.person()
  await dashboard.platform.project(person, 'hello')
  const call = dashboard.platform.client(person.token)
  await call('POST /orgs', { body: { name: 'acme-limits' } })
  const page = await dashboard.openAs(person, '/account')
  const usage = page.getByRole('region', { name: 'Usage' })
  const rows = usage.getByRole('listitem')
  await rows.filter({ hasText: 'Projects' }).getByText('1 of 7').waitFor()
  await rows.filter({ hasText: 'Stored deployments' }).waitFor()
  await page.goto(`${dashboard.platform.dashboardUrl}/orgs/acme-limits/settings`)
  await expect.poll(() => rows.filter({ hasText: 'Projects' }).textContent()).toContain('0 of 7')
})
