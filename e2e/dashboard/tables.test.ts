// The tables of a project's database and its slow queries in the dashboard, with a PostgreSQL server that svcd starts.
import { createInterface } from 'node:readline'
import { withDatabases } from '@svc/server/dist/testing/databases-of-apps.js'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { Shell } from '../shell.ts'
import { useDashboard } from './dashboard.ts'
import type { Person } from './platform.ts'

const dashboard = useDashboard(withDatabases)

/** Through the API, as somebody's client does. */
async function inDatabase(person: Person, project: string, statements: string[]): Promise<void> {
  const shell = new Shell({ SVC_API_URL: dashboard.platform.apiUrl, SVC_TOKEN: person.token })
  onTestFinished(() => shell.remove())
  const { child, ended } = shell.start('db', 'url', '--temporary', '--project', project)
  const { value: url } = await createInterface(child.stdout!)[Symbol.asyncIterator]().next()
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
  child.kill('SIGINT')
  await ended
}

it('the dashboard shows slow queries, tables and their rows', async () => {
  const { platform } = dashboard
  const owner = await platform.person()
  const { name } = await platform.project(owner)
  const page = await dashboard.openAs(owner, `/projects/${name}/storage`)
  await page.getByRole('button', { name: 'Create database' }).click()
  await page.getByText('No statement has been counted yet.').waitFor()
  await page.getByRole('link', { name: 'Tables' }).click()
  await page.getByText('No tables yet.').waitFor()

  await inDatabase(owner, name, [
    `create table notes as select i as id, case when i % 3 > 0 then 'Note ' || i end as text, repeat('long ', i * 20) as long from generate_series(1, 120) i`,
    'alter table notes add primary key (id); analyze notes',
    'create schema shop; create table shop."Or""ders?&=" (id int primary key, what text)',
    'create view recent as select * from notes where id > 100',
  ])
  await page.reload()
  await page.getByText('About 120 rows').waitFor()

  await page.getByRole('link', { name: 'notes' }).click()
  await page.getByText('Rows 1 to 50').waitFor()
  await page.getByRole('cell', { name: 'Note 50' }).waitFor()

  await page.getByRole('link', { name: 'Next rows' }).click()
  await page.getByText('Rows 51 to 100').waitFor()
  await page.getByRole('link', { name: 'Next rows' }).click()
  await page.getByText('Rows 101 to 120').waitFor()
  expect(await page.getByRole('link', { name: 'Next rows' }).count()).toBe(0)
  await page.getByRole('link', { name: 'All tables' }).click()
  await page.getByRole('link', { name: 'Or"ders?&=' }).click()
  await page.getByText('The table has no rows.').waitFor()
  await inDatabase(owner, name, ['select count(*) from notes', 'select pg_sleep(0.1)'])
  await page.goto(
    `${page
      .url()
      .split('?')[0]
      ?.replace(/tables$/, 'storage')}`,
  )
  const slow = page.getByRole('region', { name: 'Slow queries' })
  await slow.getByText('select pg_sleep($1)').waitFor()
  await slow.getByText('in total').first().waitFor()
  expect(await slow.getByText('pg_class').count()).toBe(0)
})
