// Git builds in the browser: a repository is connected, a real push is built, its log and its end are shown.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const run = promisify(execFile)
const dashboard = useDashboard()
const dirs: string[] = []
afterAll(async () => {
  for (const dir of dirs) await rm(dir, { recursive: true, force: true })
})

/** Commits a page, and maybe other files, and pushes them to a branch. The push ends with the build. */
async function newCopy(cloneUrl: string, token: string) {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-push-'))
  dirs.push(dir)
  const env = { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: dir, env })
  await git('init', '--quiet', '--initial-branch=main')
  const remote = new URL(cloneUrl)
  remote.username = 'git'
  remote.password = token
  return async (branch: string, html: string, message: string, files: Record<string, string> = {}) => {
    for (const [name, text] of Object.entries({ 'index.html': html, ...files }))
      await writeFile(path.join(dir, name), text)
    await git('add', '--all')
    await git('commit', '--quiet', '-m', message)
    await git('push', '--quiet', remote.href, `HEAD:${branch}`)
  }
}

/** A project with a page, connected to a repository of the platform. */
async function newConnected() {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, '<h1>before</h1>')
  const call = dashboard.platform.client(person.token)
  const body = { repo: `${person.login}/${name}` }
  const { clone_url = '' } = await call('POST /projects/:name/repo', { params: { name }, body })
  const push = await newCopy(clone_url, person.token)
  return { person, name, call, push }
}

it('the dashboard makes a project with a repository that the platform hosts, and says how to push to it', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('button', { name: 'Import or push a repository' }).click()
  const name = `${person.login}-pushed`
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByText(`/git/${person.login}/${name}.git`).first().waitFor()
  await page.getByText('git push svc main').waitFor()

  await page.goto(`${dashboard.platform.dashboardUrl}/projects/${name}`)
  await page.getByText('Drop a folder, files or a .zip here').waitFor()
  expect(await page.getByRole('link', { name: 'Connect a repository' }).count()).toBe(0)
})

it('the overview of an empty project with a repository begins with the commands that push to it', async () => {
  const person = await dashboard.platform.owner()
  const call = dashboard.platform.client(person.token)
  const { name } = await call('POST /projects', { body: { name: 'begun-with-git' } })
  const repo = `${person.login}/begun-with-git`
  const { clone_url } = await call('POST /projects/:name/repo', { params: { name }, body: { repo } })
  const page = await dashboard.openAs(person, `/projects/${name}`)
  await page.getByRole('heading', { name: 'Push to deploy' }).waitFor()
  await page.getByText(`git remote add svc ${clone_url}`).waitFor()
  await page.getByText(`svc git connect ${repo} --project ${name}`).waitFor()
})

it('the dashboard connects a repository, and shows a push being built and deployed', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, '<h1>before</h1>')
  const page = await dashboard.openAs(person, `/projects/${name}/git`)
  await page.getByText('No repository is connected.').waitFor()
  await page.getByRole('button', { name: 'Connect a repository' }).click()
  const dialog = page.getByRole('dialog')
  const repo = await dialog.getByLabel('Repository', { exact: true }).inputValue()
  expect(repo).toMatch(new RegExp(`/${name}$`))
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await page.getByText(`${repo} is connected.`).waitFor()
  await page.getByText('No builds yet.').waitFor()

  const call = dashboard.platform.client(person.token)
  const { clone_url = '' } = await call('GET /projects/:name/repo', { params: { name } })
  await page.getByText(`git remote add svc ${clone_url}`).waitFor()
  const push = await newCopy(clone_url, person.token)
  await push('main', '<h1>after</h1>', 'Say it anew')

  await page.reload()
  await page.getByText(`git clone ${clone_url}`).waitFor()
  await page.getByRole('link', { name: /Say it anew/ }).click()
  await page.getByRole('log').getByText('Live: ').waitFor()
  await page.getByText('Succeeded', { exact: true }).waitFor()
  const first = page.url()
  await page.getByRole('button', { name: 'Build again' }).click()
  await page.waitForURL(url => url.href !== first)
  await page.getByRole('heading', { name: 'Say it anew' }).waitFor()
  await page.getByText('Succeeded', { exact: true }).waitFor()

  await page.goto(`${new URL(page.url()).origin}/projects/${name}`)
  await page.getByText('Previous: Say it anew').waitFor()
  await page.goto(`${new URL(page.url()).origin}/projects/${name}/deployments`)
  const built = page.getByRole('row').filter({ hasText: 'Say it anew' }).first()
  await built.getByText('by Ada').waitFor()
  await built.getByText(/^in \d/).waitFor()
  await built.getByRole('link', { name: 'Say it anew' }).click()
  await page.getByRole('heading', { name: 'Say it anew' }).waitFor()

  const { deployments } = await call('GET /projects/:name', { params: { name } })
  const earlier = deployments.at(-1)?.id ?? ''
  await call('POST /projects/:name/deployments/:id/activate', { params: { name, id: earlier } })
  await page.getByText('Production is locked: pushes to main are built').waitFor()
  await page.getByRole('button', { name: 'Unlock' }).click()
  await page.getByText('Production is unlocked.').waitFor()
  await page.getByText('Production is locked: pushes to main are built').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  const found = page.getByRole('option', { name: /^Say it anew dep_/ }).first()
  await page.getByRole('combobox', { name: 'Search projects, pages and actions' }).fill('say it')
  await found.waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${new URL(page.url()).origin}/projects/${name}/deployments/${deployments[0]?.id}`)
  await page.getByRole('button', { name: 'Redeploy' }).click()
  await page.getByRole('heading', { name: 'Say it anew' }).waitFor()
  await page.getByText('Succeeded', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'All builds' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No repository is connected.').waitFor()
})

it('the log of a failed build shows the step that failed, folds the others, is searched, linked to and saved', async () => {
  const { person, name, push } = await newConnected()
  const build = `node -e "for (let i = 1; i <= 3000; i++) console.log('part ' + i); process.exitCode = 1"`
  await push('main', '', 'Break it', { 'package.json': JSON.stringify({ scripts: { build } }) })

  const page = await dashboard.openAs(person, `/projects/${name}/git`)
  await page.getByRole('link', { name: /Break it/ }).click()
  await page.getByText('Failed', { exact: true }).waitFor()
  const log = page.getByRole('log')
  const failed = log.getByRole('button', { name: /^Building: / })
  await log.getByText('part 3000', { exact: true }).waitFor()
  const search = page.getByRole('searchbox', { name: 'Search in the log' })
  await search.fill('PART 17')
  await page.getByText('1 of 111').waitFor()
  await log.getByText('part 17', { exact: true }).waitFor()
  await search.press('Shift+Enter')
  await page.getByText('111 of 111').waitFor()
  await log.getByText('part 1799', { exact: true }).waitFor()
  expect(await log.locator('mark').first().textContent()).toBe('part 17')
  await search.fill('no such words')
  await page.getByText('No line', { exact: true }).waitFor()
  await search.fill('')

  const number = log.getByRole('link', { name: 'Line 900', exact: true })
  await page.goto(`${page.url()}#L900`)
  await number.waitFor()
  await page.reload()
  await number.waitFor()
  await page.getByRole('button', { name: 'Times' }).click()
  await log.locator('time').first().waitFor()

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const saved = await readFile(await (await saving).path(), 'utf8')
  expect(saved).toContain('\npart 1\npart 2\n')

  await log.press('Home')
  const checkout = log.getByRole('button', { name: /^Checking out / })
  expect(await checkout.getAttribute('aria-expanded')).toBe('false')
  await failed.click()
  expect(await failed.getAttribute('aria-expanded')).toBe('false')
  await log.getByText('part 1', { exact: true }).waitFor({ state: 'detached' })
})

it('the dashboard shows the branches, promotes one, and creates and revokes a deploy hook', async () => {
  const { person, name, call, push } = await newConnected()
  await push('main', '<h1>production</h1>', 'First')
  await push('next', '<h1>next</h1>', 'Second')

  const page = await dashboard.openAs(person, `/projects/${name}/git`)
  const branches = page.getByRole('region', { name: 'Branches' })
  await branches.getByRole('link', { name: `next--${name}` }).waitFor()
  await branches.getByRole('button', { name: 'Promote next' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Promote' }).click()
  await page.getByText(/dep_\w+ is live\./).waitFor()
  const { active_deployment_id: live, deployments } = await call('GET /projects/:name', { params: { name } })
  expect(deployments.find(({ id }) => id === live)?.git_branch).toBe('next')
  await page.getByRole('button', { name: 'Undo' }).click()
  await branches.getByRole('button', { name: 'Promote next' }).waitFor()

  await page.getByRole('button', { name: 'Create a deploy hook' }).click()
  await dialog.getByLabel('Name').fill('My CMS')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText("You won't see this URL again.").waitFor()
  const url = (
    await dialog
      .getByText(/\/hooks\/deploy\/[\w-]{43}$/)
      .first()
      .innerText()
  ).trim()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const called = await fetch(url, { method: 'POST' })
  expect(called.status).toBe(202)
  await page.reload()
  const hooks = page.getByRole('region', { name: 'Deploy hooks' })
  await hooks.getByText('Last used').waitFor()
  await hooks.getByRole('button', { name: 'Revoke My CMS' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('My CMS was revoked.').waitFor()
  expect((await fetch(url, { method: 'POST' })).status).toBe(404)
})

it('a project begins with a template: its repository is built and the site goes live', async () => {
  const person = await dashboard.platform.person()
  const page = await dashboard.openAs(person)
  await page.getByRole('button', { name: 'Choose a template' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Contact form' }).check()
  await dialog.getByLabel('Name').fill(`${person.login}-contact`)
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.waitForURL(/\/git\/bld_/)
  await page.getByRole('heading', { name: 'Start from a template' }).waitFor()
  await page.getByText('Succeeded', { exact: true }).waitFor()
})

it('the card of a project whose builds all failed says so, and leads to the log', async () => {
  const person = await dashboard.platform.owner()
  const call = dashboard.platform.client(person.token)
  const { name } = await dashboard.platform.project(person)
  const { clone_url = '' } = await call('POST /projects/:name/repo', {
    params: { name },
    body: { repo: `${person.login}/${name}`, build_cmd: 'exit 3' },
  })
  const push = await newCopy(clone_url, person.token)
  await push('main', 'never seen', 'Fail')
  const page = await dashboard.openAs(person)
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  await card.getByText('Build failed', { exact: true }).waitFor()
  expect(await card.getByText('Empty').count()).toBe(0)
  await card.getByRole('link', { name: /^Build of main failed/ }).click()
  await page.getByRole('log').getByText('Building failed').waitFor()

  await page.getByRole('link', { name: 'Overview' }).click()
  const why = page.getByRole('alert').filter({ hasText: 'Building failed' })
  await why.getByRole('link', { name: /^Line \d+$/ }).click()
  await page.waitForURL(/\/git\/bld_\w+#L\d+$/)
  await page.getByRole('log').locator('[data-marked]').getByText('Building failed').waitFor()
})

it('a failed build is among the deployments, in the activity and on the card, and its log has its colours', async () => {
  const person = await dashboard.platform.person()
  const call = dashboard.platform.client(person.token)
  const { name } = await dashboard.platform.project(person, '<h1>before</h1>')
  const { clone_url = '' } = await call('POST /projects/:name/repo', {
    params: { name },
    body: { repo: `${person.login}/${name}`, build_cmd: "printf '\\033[31mred words\\033[0m\\n'; exit 3" },
  })
  const push = await newCopy(clone_url, person.token)
  await push('main', 'never seen', 'Break it')

  const page = await dashboard.openAs(person)
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  await card.getByText('Build failed', { exact: true }).waitFor()
  const activity = page.getByRole('region', { name: 'Recent activity' })
  await activity.getByText('Build of main failed').waitFor()

  await page.goto(`${dashboard.platform.dashboardUrl}/projects/${name}/deployments`)
  const row = page.getByRole('row').filter({ hasText: 'Break it' })
  await row.getByText('Failed', { exact: true }).waitFor()
  await page.getByLabel('Status').selectOption('live')
  await row.waitFor({ state: 'detached' })
  await page.getByLabel('Status').selectOption('failed')
  await row.getByRole('link', { name: /Break it/ }).click()
  const log = page.getByRole('log')
  await log.locator('[data-colour=red]').getByText('red words', { exact: true }).waitFor()
  expect(await log.textContent()).not.toContain('\x1b')
})

it('the dashboard lists the repositories that the platform hosts, and deletes one once its name was typed', async () => {
  const person = await dashboard.platform.owner()
  const { name } = await dashboard.platform.project(person, '<h1>before</h1>')
  const call = dashboard.platform.client(person.token)
  const { gitforge_login: login } = await call('GET /me')
  const repo = `${login}/${name}`
  await call('POST /projects/:name/repo', { params: { name }, body: { repo } })
  const page = await dashboard.openAs(person, '/repositories')
  const row = page.getByRole('listitem').filter({ hasText: repo })
  await row.getByText(`Builds ${name}`).waitFor()
  await call('DELETE /projects/:name/repo', { params: { name } })
  await page.getByRole('button', { name: `Delete ${repo}` }).click()
  await page.getByLabel(`Type ${repo} to confirm`).fill(repo)
  await page.getByRole('button', { name: 'Delete repository' }).click()
  await page.getByText(`${repo} was deleted.`).waitFor()
  const { repos } = await call('GET /repos')
  expect(repos.map(each => each.repo)).not.toContain(repo)
})
