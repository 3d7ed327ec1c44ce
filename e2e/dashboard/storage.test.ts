// The Storage page of a project: its disk.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { useDashboard, visit } from './dashboard.ts'

const dashboard = useDashboard()

/** Appends what it is sent, and answers with all of it. */
const notebook = `
const { appendFileSync, readFileSync } = require('node:fs')
const file = process.env.SVC_DISK + '/notes'
require('node:http').createServer((req, res) => {
  const text = new URL(req.url, 'http://localhost').searchParams.get('text')
  if (text) appendFileSync(file, text)
  res.end(readFileSync(file))
}).listen(process.env.PORT, process.env.HOSTNAME)
`

it('the dashboard adds a disk, makes a snapshot of it, restores and downloads it, and removes the disk', async () => {
  const { platform } = dashboard
  const owner = await platform.owner()
  const { name, url } = await platform.project(owner)
  const page = await dashboard.openAs(owner, `/projects/${name}/storage`)
  await page.getByText('No disk yet.').waitFor()

  await page.getByRole('button', { name: 'Add disk' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Size').fill('a lot')
  await dialog.getByRole('button', { name: 'Add disk' }).click()
  await dialog.getByText('Write a number and a unit, such as 5 GB.').waitFor()
  await dialog.getByLabel('Size').fill('100 MB')
  await dialog.getByLabel('Path').fill('/notes')
  await dialog.getByRole('button', { name: 'Add disk' }).click()
  await page.getByText('The disk was added.').waitFor()
  await page.getByText('of 100 MB').waitFor()
  await page.getByText('/notes', { exact: true }).waitFor()
  await page.getByText('One at a time').waitFor()
  await page.getByRole('button', { name: 'Change disk' }).click()
  await dialog.getByLabel('two instances').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Two at a time, at a deploy').waitFor()
  await page.getByRole('button', { name: 'Change disk' }).click()
  await dialog.getByLabel('two instances').uncheck()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('One at a time').waitFor()
  await page.getByText('No snapshots yet.').waitFor()

  await platform.deploy(owner.token, name, { Procfile: 'web: node app.cjs', 'app.cjs': notebook })
  const write = (text: string) => visit(page, `${url}/?text=${text}`)
  expect(await write('first')).toBe('first')
  await page.getByRole('button', { name: 'Make snapshot' }).click()
  const snapshots = page.getByRole('list', { name: 'Snapshots of the disk' })
  await snapshots.getByText('Made by hand').waitFor()
  expect(await write('-second')).toBe('first-second')

  const made = snapshots.getByRole('listitem').filter({ hasText: 'Made by hand' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    made.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(new RegExp(`^${name}-snp_\\w+\\.tar$`))
  expect(await readFile(await download.path(), 'latin1')).toContain('first')

  await made.getByRole('button', { name: 'Restore' }).click()
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await snapshots.getByText('What a restore replaced').waitFor()
  expect(await write('-third')).toBe('first-third')

  await page.getByRole('button', { name: 'Copy the disk into new previews' }).click()
  await page.getByText('Begin with its newest snapshot').waitFor()
  await platform.deploy(
    owner.token,
    name,
    { Procfile: 'web: node app.cjs', 'app.cjs': notebook },
    '?branch=topic',
  )
  await page.reload()
  await page.getByText('Preview of topic').waitFor()

  await page.getByRole('button', { name: 'Change disk' }).click()
  await dialog.getByLabel('Size').fill('200 MB')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('of 200 MB').waitFor()

  await page.getByRole('button', { name: 'Remove disk' }).click()
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole('button', { name: 'Remove disk' }).click()
  await page.getByText('Its files are kept until').waitFor()
})

it('a member of the org sees the disk, and changes nothing', async () => {
  const { platform } = dashboard
  const [owner, member] = [await platform.person(), await platform.person()]
  const call = platform.client(owner.token)
  const link = await platform.invite(owner, `${owner.login}-org`, 'member')
  await platform.client(member.token)('POST /invites/:token/accept', {
    params: { token: link.split('/').at(-1)! },
  })
  const name = `${owner.login}-notes`
  await call('POST /projects', { body: { name, org: `${owner.login}-org` } })
  await call('PUT /projects/:name/disk', { params: { name }, body: {} })
  const page = await dashboard.openAs(member, `/projects/${name}/storage`)
  await page.getByText('of 1 GB').waitFor()
  expect(await page.getByRole('button', { name: /disk|snapshot/i }).all()).toEqual([])
})
