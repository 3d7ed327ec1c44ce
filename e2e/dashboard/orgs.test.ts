// Orgs in the dashboard: two people share an org, each in their own browser.
import { expect, it } from 'vitest'
import { signedIn, useDashboard } from './dashboard.ts'
import { Platform } from './platform.ts'
import { nameless } from './sanity.ts'

const dashboard = useDashboard({})

it('the dashboard makes an org, invites someone who signs up through the link, and shares the work by roles', async () => {
  const ada = await dashboard.platform.person()
  const page = await dashboard.openAs(ada)
  await page.getByRole('button', { name: 'Switch workspace' }).click()
  await page.getByRole('link', { name: 'New organization' }).click()
  const name = page.getByLabel('Name', { exact: true })
  await name.pressSequentially('Acme Rockets-')
  expect(await name.inputValue()).toBe('acme-rockets-')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByText('This name breaks a rule below.').waitFor()
  await name.fill('acme')
  await page.getByLabel('Display name').fill('Acme Rockets')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Acme Rockets' }).waitFor()
  await page.getByText('svc init --org acme').waitFor()

  await page.getByRole('link', { name: 'Invite people' }).click()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('Email').fill('not an address')
  await page.keyboard.press('Enter')
  await page.getByText('That is not an email address.').waitFor()
  await page.getByLabel('Email').fill('grace@example.org')
  await page.keyboard.press('Enter')
  await page.getByText('No email was sent.').waitFor()
  const link = (await page.getByRole('dialog').getByText('/invites/').textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => page.getByText(link).count()).toBe(0)
  await page.getByRole('listitem').filter({ hasText: 'grace@example.org' }).waitFor()

  const guest = await dashboard.open(link)
  await guest.getByRole('heading', { name: 'Join acme' }).waitFor()
  await guest.getByText(/invites you as member/).waitFor()
  await guest.getByLabel('Login').fill('grace')
  await guest.getByLabel('Password', { exact: true }).fill('a long enough password')
  await guest.getByRole('button', { name: 'Create account and join' }).click()
  await guest.getByText('You are a member').waitFor()
  expect(new URL(guest.url()).pathname).toBe('/orgs/acme')
  const tabs = guest.getByRole('navigation', { name: 'Organization' })
  expect(await tabs.getByRole('link').allTextContents()).toEqual(['Projects', 'Members', 'Settings'])
  await guest.goto(`${dashboard.platform.dashboardUrl}/orgs/acme/tokens`)
  await guest.getByText('This page is not for your role').waitFor()

  await page.reload()
  await page.getByText('Nobody is invited at the moment.').waitFor()
  await page.getByLabel('Role of grace').selectOption('admin')
  await page.getByText('grace is now admin.').waitFor()
  await guest.reload()
  await guest.getByRole('button', { name: 'New token' }).click()
  await guest.getByLabel('Label').fill('CI')
  await guest.getByRole('button', { name: 'Create token' }).click()
  const secret = (await guest.getByRole('dialog').getByText(/^svc_/).textContent()) ?? ''
  await guest.getByRole('button', { name: 'Done' }).click()
  await guest.getByText('by grace').waitFor()

  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog', { name: 'New project in acme' })
  await dialog.getByText('A folder', { exact: true }).click()
  await dialog.getByLabel('Name').fill('rockets')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/projects/rockets')
  await dashboard.platform.deploy(secret, 'rockets', { 'index.html': 'Up!' })
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText(/grace deployed dep_\w+$/).waitFor()
  await page.getByText(/by token tok_/).waitFor()

  await guest.getByRole('link', { name: 'Members' }).click()
  await guest.getByRole('button', { name: 'Leave the organization' }).click()
  await guest.getByRole('button', { name: 'Leave', exact: true }).last().click()
  await guest.getByText('You left Acme Rockets.').waitFor()
  await guest.goto(`${dashboard.platform.dashboardUrl}/orgs/acme`)
  await guest.getByText('There is no organization “acme”').waitFor()

  await page.getByRole('link', { name: 'Acme Rockets' }).click()
  await page.getByRole('link', { name: 'rockets', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Activity' }).click()
  const log = page.getByRole('main').getByRole('listitem')
  await log.first().waitFor()
  const said = (await log.allTextContents()).map(text => text.replace(/(just now|\d+ minutes? ago).*$/, ''))
  expect(said.map(text => text.replace(/dep_\w+/, 'dep_…'))).toEqual([
    'grace left',
    'grace deployed dep_… in rockets',
    `${ada.login} created the project rockets`,
    'grace created the deploy token CI',
    `${ada.login} changed the role of grace from member to admin`,
    'grace joined as member',
    `${ada.login} invited grace@example.org as member`,
    `${ada.login} created the organization acme`,
  ])
})

it('the dashboard sends an invite again with a new link', async () => {
  const ada = await dashboard.platform.person()
  const earlier = await dashboard.platform.invite(ada, 'again', 'member')
  const page = await dashboard.openAs(ada, '/orgs/again/members')
  await page.getByRole('button', { name: /^Send again: the invite of / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
  const link = (await page.getByRole('dialog').getByText('/invites/').textContent()) ?? ''
  expect(link).not.toBe(earlier)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.goto(earlier)
  await page.getByRole('heading', { name: 'This invite does not work any more' }).waitFor()
})

it('the dashboard accepts an invite as someone signed in, once, and tells members that they are in already', async () => {
  const [ada, bob] = [await dashboard.platform.person(), await dashboard.platform.person()]
  const invite = await dashboard.platform.invite(ada, 'twice', 'admin')
  const page = await dashboard.open(invite)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Login').fill(bob.login)
  await page.getByLabel('Password', { exact: true }).fill(bob.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Join twice' }).waitFor()
  await page.getByText(`${ada.login} invites you.`).waitFor()
  await page.getByText('As admin.').waitFor()
  const owner = await dashboard.openAs(ada, new URL(invite).pathname)
  await owner.getByRole('heading', { name: 'You are in twice already' }).waitFor()
  await page.getByRole('button', { name: 'Accept and join' }).click()
  await page.getByText('You are an admin').waitFor()
  await owner.reload()
  await owner.getByRole('heading', { name: 'This invite does not work any more' }).waitFor()
})

it('the dashboard offers no sign-up where the platform takes no new accounts', async () => {
  const platform = await Platform.start({ SVCD_SIGNUPS: 'closed' })
  try {
    const page = await dashboard.open(await platform.invite(await platform.person(), 'closed', 'member'))
    await page.getByText('This platform takes no new accounts.').waitFor()
    expect(await page.getByLabel('Password').count()).toBe(0)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
  } finally {
    await platform.stop()
  }
})

it('the dashboard keeps the last owner, says when the plan is full, and deletes an org by its name', async () => {
  const ada = await dashboard.platform.person()
  const call = dashboard.platform.client(ada.token)
  for (const name of ['one-org', 'two-org', 'three-org']) await call('POST /orgs', { body: { name } })
  const page = await dashboard.openAs(ada, '/orgs/new')
  await page.getByLabel('Name', { exact: true }).fill('four-org')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByRole('alert').getByText('Your plan has no room for another organization.').waitFor()

  await page.goto(`${dashboard.platform.dashboardUrl}/orgs/one-org/members`)
  await page.getByLabel(`Role of ${ada.login}`).selectOption('member')
  await page.getByRole('dialog', { name: 'The last owner stays' }).waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByLabel(`Role of ${ada.login}`).inputValue()).toBe('owner')

  await page.getByRole('link', { name: 'Settings' }).click()
  const button = page.getByRole('button', { name: 'Delete organization' })
  await button.click()
  const dialog = page.getByRole('dialog')
  const focused = dialog.locator('input:focus')
  await focused.waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('Type one-org to confirm.', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  expect(await button.evaluate(element => element === document.activeElement)).toBe(true)
  await button.click()
  await focused.waitFor()
  await page.keyboard.type('one-org')
  await page.keyboard.press('Enter')
  await page.getByText('one-org was deleted.').waitFor()
  await page.getByRole('button', { name: 'Switch workspace' }).click()
  await page.getByRole('link', { name: 'two-org' }).waitFor()
  expect(await page.getByRole('link', { name: 'one-org' }).count()).toBe(0)
})

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

it('the dashboard changes the display name and the icon, and shares a git account', async () => {
  const ada = await dashboard.platform.person()
  await dashboard.platform.client(ada.token)('POST /orgs', { body: { name: 'painted' } })
  const page = await dashboard.openAs(ada, '/orgs/painted/settings')
  await page.getByRole('textbox', { name: 'Display name' }).fill('Painted Co')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Painted Co' }).waitFor()

  const upload = (mimeType: string, name: string) =>
    page.getByLabel('Icon file').setInputFiles({ name, mimeType, buffer: Buffer.from(pixel, 'base64') })
  await upload('image/svg+xml', 'icon.svg')
  await page.getByText('Choose a PNG, JPEG, WebP or GIF image.').waitFor()
  await upload('image/png', 'icon.png')
  await page.getByRole('button', { name: 'Save icon' }).click()
  await page.getByText('The icon was saved.').waitFor()
  const icon = page.getByRole('banner').locator('img[src*="/orgs/painted/icon?v="]')
  await icon.waitFor()
  expect(await icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The icon was removed.').waitFor()

  await page.getByRole('button', { name: `Share ${ada.login}` }).click()
  await page.getByText(`shared by ${ada.login}`).waitFor()
  await page.getByRole('button', { name: `Stop sharing ${ada.login}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click()
  await page.getByText('yours, not shared').waitFor()
})

it('the dashboard changes the password of the account', async () => {
  const ada = await dashboard.platform.person()
  const page = await dashboard.openAs(ada)
  await page.getByRole('button', { name: `Account: ${ada.login}` }).click()
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByRole('link', { name: 'Sign-in and security' }).click()
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password').fill('another long password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The current password is wrong.').waitFor()
  await page.getByLabel('Current password').fill(ada.password)
  await page.keyboard.press('Enter')
  await page.getByText('Your password was changed.').waitFor()
  const body = { login: ada.login, password: 'another long password' }
  await dashboard.platform.client()('POST /auth/signin', { body })
})

it('the dashboard gives every control of every page a name, and one first heading', async () => {
  const ada = await dashboard.platform.person()
  await dashboard.platform.invite(ada, 'named', 'member')
  const call = dashboard.platform.client(ada.token)
  await call('POST /orgs/:name/tokens', { params: { name: 'named' }, body: { kind: 'deploy' } })
  const page = await dashboard.openAs(ada, '/account')
  await signedIn(page)
  const routes = ['/account', '/orgs/new', '/orgs/named']
  for (const tab of ['members', 'tokens', 'audit', 'settings']) routes.push(`/orgs/named/${tab}`)
  for (const route of routes) {
    await page.goto(dashboard.platform.dashboardUrl + route)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // The stream of events keeps the network busy, so wait until no part of the page is loading.
    await expect.poll(() => page.locator('[data-loading]').count()).toBe(0)
    expect([route, await page.evaluate(nameless)]).toEqual([route, []])
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  }
})

it('the dashboard fits on a narrow screen', async () => {
  const ada = await dashboard.platform.person()
  await dashboard.platform.invite(ada, 'a-team-with-quite-a-long-name-indeed', 'member')
  const call = dashboard.platform.client(ada.token)
  const project = 'a-project-with-quite-a-long-name'
  await call('POST /projects', { body: { name: project, org: 'a-team-with-quite-a-long-name-indeed' } })
  const page = await dashboard.openAs(ada)
  await signedIn(page)
  await page.setViewportSize({ width: 360, height: 740 })
  const routes = ['/account', '/orgs/new', `/projects/${project}/activity`]
  for (const tab of ['', '/members', '/tokens', '/audit', '/settings'])
    routes.push(`/orgs/a-team-with-quite-a-long-name-indeed${tab}`)
  for (const route of routes) {
    await page.goto(dashboard.platform.dashboardUrl + route)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([route, width]).toEqual([route, 360])
  }
})

it('the menu of the workspaces scrolls to its last entry where the screen has no room for all', async () => {
  const ada = await dashboard.platform.person()
  const call = dashboard.platform.client(ada.token)
  for (let i = 0; i < 3; i++) await call('POST /orgs', { body: { name: `${ada.login}-team-${i}` } })
  const page = await dashboard.openAs(ada)
  await page.setViewportSize({ width: 900, height: 200 })
  await page.getByRole('button', { name: 'Switch workspace' }).click()
  const last = page.getByRole('link', { name: 'New organization' })
  await last.scrollIntoViewIfNeeded()
  const { y, height } = (await last.boundingBox())!
  expect(y + height).toBeLessThan(200)
  await last.click()
  await page.getByRole('heading', { name: 'New organization' }).waitFor()
})

it('the picture of the workspace and its button stay apart beside a long name on a narrow screen', async () => {
  const ada = await dashboard.platform.person()
  const name = 'another-project-with-quite-a-long-name'
  await dashboard.platform.client(ada.token)('POST /projects', { body: { name } })
  const page = await dashboard.openAs(ada, `/projects/${name}`)
  await page.setViewportSize({ width: 390, height: 844 })
  const picture = page.getByRole('banner').getByRole('link', { name: ada.login }).locator('> :first-child')
  const button = page.getByRole('button', { name: 'Switch workspace' })
  const [left, right] = await Promise.all([picture.boundingBox(), button.boundingBox()])
  expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x)
})
