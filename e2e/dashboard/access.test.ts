// Sites with a password and sites for members, as their owners set them and as their visitors meet them.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openContext } from '../browser.ts'
import { useDashboard } from './dashboard.ts'
import type { Person } from './platform.ts'

const dashboard = useDashboard()

const body = (page: Page) => page.locator('body').textContent()

/** An org with an owner and a member, and a project of theirs. */
async function orgProject(owner: Person, member: Person) {
  const { platform } = dashboard
  const [call, name] = [platform.client(owner.token), `org-of-${owner.login}`]
  await call('POST /orgs', { body: { name } })
  const invite = { email: 'member@example.test', role: 'member' } as const
  const { invite_url } = await call('POST /orgs/:name/invites', { params: { name }, body: invite })
  const token = invite_url.split('/').pop() ?? ''
  await platform.client(member.token)('POST /invites/:token/accept', { params: { token } })
  const project = await platform.project(owner, 'for members')
  await call('POST /projects/:name/transfer', { params: { name: project.name }, body: { org: name } })
  return project
}

it('the dashboard gives a site a password that visitors need, without any script of theirs', async () => {
  const owner = await dashboard.platform.person()
  const { name, url } = await dashboard.platform.project(owner, 'behind the password')
  const page = await dashboard.openAs(owner, `/projects/${name}`)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Access' }).click()
  expect(await page.getByRole('radio', { name: 'Members of the organization' }).isDisabled()).toBe(true)
  await page.getByRole('radio', { name: 'Password' }).check()
  await page.getByRole('textbox', { name: 'Password' }).fill('abc')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Use at least 4 characters.').waitFor()
  await page.getByRole('button', { name: 'Generate' }).click()
  const password = await page.getByRole('textbox', { name: 'Password' }).inputValue()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The site asks for its password.').waitFor()
  await page.getByText(password, { exact: true }).waitFor()

  const browser = page.context().browser()!
  const visitor = await (await openContext(browser, { javaScriptEnabled: false })).newPage()
  await visitor.goto(`${url}/?page=1`)
  await visitor.getByLabel('Password').fill('not it')
  await visitor.getByRole('button', { name: 'Unlock' }).click()
  await visitor.getByRole('alert').getByText('That is not the password.').waitFor()
  await visitor.getByLabel('Password').fill(password)
  await visitor.keyboard.press('Enter')
  await visitor.waitForURL(`${url}/?page=1`)
  expect(await body(visitor)).toBe('behind the password')

  await page.getByRole('textbox', { name: 'New password' }).fill('another one')
  await page.getByText('Everyone is locked out the moment you save').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('another one', { exact: true }).waitFor()
  await visitor.reload()
  await visitor.getByRole('heading', { name: 'Password needed' }).waitFor()

  await page.getByRole('radio', { name: 'Public' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The site is public.').waitFor()
  await visitor.getByLabel('Password').fill('whatever')
  await visitor.getByRole('button', { name: 'Unlock' }).click()
  await visitor.waitForURL(`${url}/`)
  expect(await body(visitor)).toBe('behind the password')
})

it('the dashboard takes a member through the sign-in to the page that was asked for', async () => {
  const [owner, member] = [await dashboard.platform.person(), await dashboard.platform.person()]
  const { name, url } = await orgProject(owner, member)
  const page = await dashboard.openAs(owner, `/projects/${name}/access`)
  await page.getByRole('radio', { name: 'Members of the organization' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Only members of the organization can see the site.').waitFor()

  const visitor = await dashboard.open(`${url}/?page=2`)
  await visitor.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  await visitor.getByLabel('Login').fill(member.login)
  await visitor.getByRole('textbox', { name: 'Password' }).fill(member.password)
  await visitor.getByRole('button', { name: 'Sign in' }).click()
  await visitor.waitForURL(`${url}/?page=2`)
  expect(await body(visitor)).toBe('for members')
  expect(visitor.url()).not.toContain('code')
})

it('the dashboard tells an account that is not a member that the site is not for it, and offers another sign-in', async () => {
  const [owner, member, other] = [
    await dashboard.platform.person(),
    await dashboard.platform.person(),
    await dashboard.platform.person(),
  ]
  const { name, url } = await orgProject(owner, member)
  await dashboard.platform.client(owner.token)('PUT /projects/:name/access', {
    params: { name },
    body: { mode: 'org' },
  })
  const page = await dashboard.openAs(other)
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  await page.goto(url)
  await page.getByRole('heading', { name: 'You cannot see this site' }).waitFor()
  await page.getByRole('button', { name: 'Use another account' }).click()
  await page.getByLabel('Login').fill(owner.login)
  await page.getByRole('textbox', { name: 'Password' }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
  expect(await body(page)).toBe('for members')
})

it('the dashboard gives previews a password of their own', async () => {
  const owner = await dashboard.platform.person()
  const { name, url } = await dashboard.platform.project(owner, 'open to all')
  const page = await dashboard.openAs(owner, `/projects/${name}/access`)
  await page.getByLabel('Previews', { exact: true }).selectOption('password')
  await page.getByRole('textbox', { name: 'Password' }).fill('open sesame')
  await page.getByRole('button', { name: 'Save for previews' }).click()
  await page.getByText('Previews ask for their password.').waitFor()
  const call = dashboard.platform.client(owner.token)
  const { deployments, preview_access } = await call('GET /projects/:name', { params: { name } })
  expect(preview_access).toEqual({ mode: 'password' })
  await page.goto(url)
  expect(await body(page)).toContain('open to all')
  await page.goto(deployments[0]?.url ?? '')
  await page.getByLabel('Password').fill('open sesame')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await page.getByText('open to all').waitFor()
})

it('the dashboard shares a protected preview by a link, and revokes the link', async () => {
  const owner = await dashboard.platform.person()
  const { name, deployments } = await dashboard.platform.project(owner, 'for reviewers')
  const call = dashboard.platform.client(owner.token)
  await call('PUT /projects/:name/access/previews', {
    params: { name },
    body: { mode: 'password', password: 'open sesame' },
  })
  const page = await dashboard.openAs(owner, `/projects/${name}/deployments/${deployments[0]}`)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('How long it works').selectOption('30')
  await page.getByRole('button', { name: 'Create a link' }).click()
  const link = await page.getByText(/\/_svc\/share\?key=[\w-]{43}$/).innerText()
  const visitor = await (await openContext(page.context().browser()!)).newPage()
  await visitor.goto(link)
  expect(await body(visitor)).toContain('for reviewers')
  expect(visitor.url()).toBe(new URL('/', link).href)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: /^Revoke the link to/ }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('The share link was revoked.').waitFor()
  await visitor.reload()
  await visitor.getByRole('button', { name: 'Unlock' }).waitFor()
})
