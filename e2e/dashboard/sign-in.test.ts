// Getting in: the set-up link, signing in and out, and the token that `svc dashboard` hands over.
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'
import { Platform } from './platform.ts'

const dashboard = useDashboard({})
const storedToken = () => localStorage.getItem('svc.token')

it('the dashboard creates the first account with the set-up link, removes the link from the URL, and takes it once', async () => {
  const platform = await Platform.start()
  try {
    const page = await dashboard.open(platform.setupLink)
    expect(page.url()).toBe(`${platform.dashboardUrl}/setup`)
    await page.reload()
    await page.getByLabel('Login').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Use at least 10 characters.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('long enough a password')
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
    expect(page.url()).toBe(`${platform.dashboardUrl}/`)
    const me = await platform.client((await page.evaluate(storedToken)) ?? '')('GET /me')
    expect(me).toMatchObject({ gitforge_login: 'ada', email: 'ada@example.org' })

    const late = await dashboard.open(platform.setupLink)
    await late.getByRole('heading', { name: 'Already set up' }).waitFor()
  } finally {
    await platform.stop()
  }
})

it('the dashboard tells a visitor of a fresh platform where the set-up link is', async () => {
  const platform = await Platform.start()
  try {
    const page = await dashboard.open(platform.dashboardUrl)
    await page.getByText('The server printed it in the terminal').waitFor()
  } finally {
    await platform.stop()
  }
})

it('the dashboard signs in, goes on to the page that was asked for, and signs out', async () => {
  const { login, password } = await dashboard.platform.person()
  const page = await dashboard.open(`${dashboard.platform.dashboardUrl}/device?code=BCDF`)
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('The login or the password is wrong.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
  expect(page.url()).toBe(`${dashboard.platform.dashboardUrl}/device?code=BCDF`)

  await page.goto(dashboard.platform.dashboardUrl)
  await page.getByRole('button', { name: `Account: ${login}` }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  expect(await page.evaluate(storedToken)).toBeNull()
})

it('the dashboard takes a token from the fragment of any page, and strips it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person, '/device?code=BC')
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
  expect(page.url()).toBe(`${dashboard.platform.dashboardUrl}/device?code=BC`)
  expect(await page.evaluate(storedToken)).toBe(person.token)
  await page.goBack()
  expect(page.url()).not.toContain('token')
})

it('the dashboard asks before a link signs in another account, in an open page and in a new one', async () => {
  const [one, other] = [await dashboard.platform.person(), await dashboard.platform.person()]
  const page = await dashboard.openAs(one)
  await page.getByRole('button', { name: `Account: ${one.login}` }).waitFor()
  await page.evaluate(token => location.assign(`/#token=${token}`), other.token)
  await page.getByRole('heading', { name: 'Switch account?' }).waitFor()
  expect(page.url()).not.toContain('token')
  expect(await page.evaluate(storedToken)).toBe(one.token)
  await page.getByRole('button', { name: `Stay signed in as ${one.login}` }).click()
  await page.getByRole('button', { name: `Account: ${one.login}` }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: `Account: ${one.login}` }).waitFor()

  const tab = await page.context().newPage()
  await tab.goto(`${dashboard.platform.dashboardUrl}/#token=${other.token}`)
  await tab.getByRole('button', { name: `Switch to ${other.login}` }).click()
  await tab.getByRole('button', { name: `Account: ${other.login}` }).waitFor()
  expect(await tab.evaluate(storedToken)).toBe(other.token)
})

it('the dashboard asks nothing if a link signs in the same account, or if the session has ended', async () => {
  const [one, other] = [await dashboard.platform.person(), await dashboard.platform.person()]
  const page = await dashboard.openAs(one)
  await page.getByRole('button', { name: `Account: ${one.login}` }).waitFor()
  const mine = await dashboard.platform.client(one.token)('POST /tokens', { body: { kind: 'cli' } })
  await page.evaluate(token => location.assign(`/#token=${token}`), mine.token)
  await page.waitForFunction(token => localStorage.getItem('svc.token') === token, mine.token)
  await page.getByRole('button', { name: `Account: ${one.login}` }).waitFor()

  await dashboard.platform.client(one.token)('DELETE /tokens/:id', { params: { id: mine.id } })
  const tab = await page.context().newPage()
  await tab.goto(`${dashboard.platform.dashboardUrl}/#token=${other.token}`)
  await tab.getByRole('button', { name: `Account: ${other.login}` }).waitFor()
})

it('the dashboard signs out everywhere else when the password is changed', async () => {
  const person = await dashboard.platform.person()
  const body = { login: person.login, password: person.password }
  const session = await dashboard.platform.client()('POST /auth/signin', { body })
  if (!('token' in session)) throw new Error('A code is asked for.')
  const elsewhere = await dashboard.openAs({ ...person, token: session.token })
  const page = await dashboard.openAs(person, '/account/security')
  await page.getByLabel('Current password').fill(person.password)
  await page.getByLabel('New password').fill('another long password')
  await page.getByLabel('Also revoke my access tokens').check()
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password was changed. 1 other session ended').waitFor()
  // Nobody touches the other page. It learns it by itself.
  await elsewhere.getByText('this session has expired, or it was ended on another device').waitFor()
  await elsewhere.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
})

it('the dashboard keeps the account signed in when a token in the fragment is not valid', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  await page.evaluate(() => location.assign('/#token=svc_nonsense'))
  await page.getByText('That sign-in link is not valid any more.').waitFor()
  await page.getByRole('button', { name: `Account: ${person.login}` }).waitFor()
  expect(await page.evaluate(storedToken)).toBe(person.token)

  const stranger = await dashboard.open(`${dashboard.platform.dashboardUrl}/#token=svc_nonsense`)
  await stranger.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  expect(await stranger.evaluate(storedToken)).toBeNull()
})

it('the dashboard asks to sign in again when the token was revoked meanwhile', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  const call = dashboard.platform.client(person.token)
  const { tokens } = await call('GET /tokens', {})
  for (const { id } of tokens) await call('DELETE /tokens/:id', { params: { id } })
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByLabel('Name').fill('too-late')
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  await page.getByText('it was ended on another device').waitFor()
})

it('the dashboard says that it was left in another tab, and says nothing after its own sign-out', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  const other = await page.context().newPage()
  await other.goto(dashboard.platform.dashboardUrl)
  await other.getByRole('button', { name: `Account: ${person.login}` }).click()
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  await page.getByText('You signed out in another tab.').waitFor()
  expect(await other.getByText('signed out').count()).toBe(0)
})

it('the dashboard says that the platform does not answer, and goes on when it does', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  const api = (url: URL) => url.hostname !== 'app.localhost'
  await page.route(api, route => route.abort())
  await page.reload()
  await page.getByRole('heading', { name: 'The platform does not answer' }).waitFor()
  // Where one process does everything, sites are down, too.
  expect(await page.getByText('stay live').count()).toBe(0)
  await page.unroute(api)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
})

it('a page whose script cannot be fetched says that the platform may be down, and nothing about sites', async () => {
  const page = await dashboard.openAs(await dashboard.platform.person())
  await page.getByRole('heading', { name: 'Deploy your first site' }).waitFor()
  await page.route('**/assets/*.js', route => route.abort())
  await page.getByRole('link', { name: 'Shares', exact: true }).first().click()
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
  expect(await page.getByText('not affected').count()).toBe(0)
  await page.unroute('**/assets/*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Shares' }).first().waitFor()
})
