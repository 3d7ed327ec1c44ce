// The members of an org that has many.
import { it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard()

it('the members of a large org are searched, because nobody scrolls through all of them', async () => {
  const ada = await dashboard.platform.person()
  const { pathname } = new URL(await dashboard.platform.invite(ada, 'large', 'member'))
  const call = dashboard.platform.client(ada.token)
  const tokens = [pathname.split('/').at(-1) ?? '']
  for (const n of Array.from({ length: 11 }).keys()) {
    const params = { name: 'large' }
    const body = { email: `member-${n}@example.org`, role: 'member' as const }
    const { invite_url } = await call('POST /orgs/:name/invites', { params, body })
    tokens.push(invite_url.split('/').at(-1) ?? '')
  }
  const logins: string[] = []
  for (const token of tokens) {
    const person = await dashboard.platform.person()
    await dashboard.platform.client(person.token)('POST /invites/:token/accept', { params: { token } })
    logins.push(person.login)
  }
  const page = await dashboard.openAs(ada, '/orgs/large/members')
  await page.getByRole('searchbox', { name: 'Search 13 members' }).fill(logins[3] ?? '')
  await page.getByText(logins[4] ?? '', { exact: true }).waitFor({ state: 'detached' })
  await page.getByLabel(`Role of ${logins[3]}`).waitFor()
})
