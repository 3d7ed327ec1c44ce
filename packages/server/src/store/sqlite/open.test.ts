import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { addProject } from '../../testing/rows.ts'
import { openSqlite } from './store.ts'
import { Writer } from './writer.ts'

test('a new file that another program is reading is opened when that program has read it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-open-'))
  const file = join(dir, 'test.db')
  const other = new DatabaseSync(file)
  other.exec('create table t (n)')
  other.exec('begin')
  other.prepare('select * from t').all()
  const opening = Writer.open(file)
  const refused = opening.then(
    () => undefined,
    (error: unknown) => error,
  )
  await Promise.race([refused, new Promise(resolve => setTimeout(resolve, 500))])
  other.exec('commit')
  other.close()
  expect(await refused).toBeUndefined()
  const writer = await opening
  onTestFinished(async () => {
    await writer.close()
    await rm(dir, { recursive: true })
  })
  expect(await writer.execute('pragma journal_mode', [])).toEqual({ rows: [{ journal_mode: 'wal' }] })
})

test('a store that was closed has everything in its file, so that a copy of that file alone is complete', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-open-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const store = await openSqlite(join(dir, 'svc.db'))
  await store.migrate()
  const { id } = await addProject(store)
  await store.close()
  await copyFile(join(dir, 'svc.db'), join(dir, 'copy.db'))
  const copy = new DatabaseSync(join(dir, 'copy.db'))
  onTestFinished(() => copy.close())
  expect(copy.prepare('select id from projects').all()).toEqual([{ id }])
})
