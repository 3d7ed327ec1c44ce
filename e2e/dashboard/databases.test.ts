// The database of a project on its Storage page, with a PostgreSQL server that svcd starts.
import { readFile } from 'node:fs/promises'
import { canDump, withDatabases } from '@svc/server/dist/testing/databases-of-apps.js'
import { expect, it } from 'vitest'
import { useDashboard } from './dashboard.ts'

const dashboard = useDashboard(withDatabases)

it('the dashboard creates a database, saves a dump of it, removes it under the name of the project, and brings it back', async () => {
  const { platform } = dashboard
  const owner = await platform.person()
  const { name } = await platform.project(owner)
  const params = { name }
  const call = platform.client(owner.token)
  await call('PUT /projects/:name/env/:key', {
    params: { ...params, key: 'DATABASE_URL' },
    body: { value: 'postgresql://elsewhere' },
  })
  const page = await dashboard.openAs(owner, `/projects/${name}/storage`)
  await page.getByText('No database yet.').waitFor()

  await page.getByRole('button', { name: 'Create database' }).click()
  await page.getByText('The database was created.').waitFor()
  const section = page.getByRole('region', { name: 'Database' })
  await section.getByText('of 1 GB').waitFor()
  await section.getByText('Up to 15').waitFor()
  await section.getByText('The project has a variable DATABASE_URL of its own').waitFor()
  await page.getByText('No query is running.').waitFor()
  const { database } = await call('GET /projects/:name/database', { params })
  await section.getByText(database!.name).waitFor()

  if (canDump) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download dump' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${name}.dump`)
    expect(await readFile(await download.path(), 'latin1')).toMatch(/^PGDMP/)

    await page.getByLabel('Dump file').setInputFiles(await download.path())
    const restoring = page.getByRole('dialog')
    await restoring.getByLabel(`Type ${name} to confirm`).fill(name)
    await restoring.getByRole('button', { name: 'Replace the data' }).click()
    await page.getByText('The dump was restored.').waitFor()
    await section.getByText('Kept from before').waitFor()
    await page.getByRole('button', { name: 'Bring back the one before' }).click()
    await page.getByText('The database was brought back.').waitFor()
    await section.getByText(database!.name).waitFor()
  }
  const app = `require('node:http').createServer((req, res) => res.end()).listen(process.env.PORT, process.env.HOSTNAME)`
  await platform.deploy(owner.token, name, { Procfile: 'web: node app.cjs', 'app.cjs': app }, '?branch=topic')
  await page.reload()
  const topic = section.getByText('Preview of topic')
  await topic.waitFor()
  await section
    .getByText(/^(Not measured yet|[\d.]+ MB)$/)
    .first()
    .waitFor()
  await platform.deploy(owner.token, name, { Procfile: 'web: node app.cjs', 'app.cjs': app }, '?branch=next')
  await page.reload()
  await section.getByText('Preview of next').waitFor()
  expect(await topic.count()).toBe(1)
  await page.getByRole('button', { name: 'Copy into new previews' }).click()
  await section.getByText('Begin with a copy of its data').waitFor()
  await page.getByRole('button', { name: 'Remove database' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove database' }).click()
  await dialog.getByText(`Type ${name} to confirm.`).waitFor()
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await dialog.getByRole('button', { name: 'Remove database' }).click()
  await section.getByText('The database was removed. It is kept until').waitFor()

  await page.getByRole('button', { name: 'Bring it back' }).click()
  await section.getByText(database!.name).waitFor()
  const after = await call('GET /projects/:name/database', { params })
  expect(after.database?.name).toBe(database!.name)
})
