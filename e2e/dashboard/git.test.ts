// Git builds in the browser: a repository is connected, a real push is built, its log and its end are shown.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { useConsole } from './console.ts'

const run = promisify(execFile)
const console = useConsole()
const dirs: string[] = []
afterAll(async () => {
  for (const dir of dirs) await rm(dir, { recursive: true, force: true })
})

it('connects a repository, and shows a push being built and deployed', async () => {
  const person = await console.platform.owner()
  const { name } = await console.platform.project(person, '<h1>before</h1>')
  const page = await console.openAs(person, `/projects/${name}/git`)
  await page.getByText('No repository is connected.').waitFor()
  await page.getByRole('button', { name: 'Connect a repository' }).click()
  const dialog = page.getByRole('dialog')
  const repo = await dialog.getByLabel('Repository').inputValue()
  expect(repo).toMatch(new RegExp(`/${name}$`))
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await page.getByText(`${repo} is connected.`).waitFor()
  await page.getByText('No builds yet.').waitFor()

  const call = console.platform.client(person.token)
  const { clone_url = '' } = await call('GET /projects/:name/repo', { params: { name } })
  await page.getByText(`git remote add svc ${clone_url}`).waitFor()
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-push-'))
  dirs.push(dir)
  const env = { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: dir, env })
  await git('init', '--quiet', '--initial-branch=main')
  await writeFile(path.join(dir, 'index.html'), '<h1>after</h1>')
  await git('add', '--all')
  await git('commit', '--quiet', '-m', 'Say it anew')
  const remote = new URL(clone_url)
  remote.username = 'git'
  remote.password = person.token
  await git('push', '--quiet', remote.href, 'main')

  await page.reload()
  await page.getByRole('link', { name: /Say it anew/ }).click()
  await page.getByText('Succeeded').waitFor()
  await page.getByRole('log').getByText('Live: ').waitFor()
  await page.getByRole('button', { name: 'Build main again' }).click()
  await page.getByRole('heading', { name: 'Say it anew' }).waitFor()
  await page.getByText('Succeeded').waitFor()

  await page.getByRole('link', { name: 'All builds' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('No repository is connected.').waitFor()
})
