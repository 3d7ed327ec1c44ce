import { expect, it } from 'vitest'
import { onEveryStore } from '../testing/stores.ts'
import { deletedAtOnce } from './in-batches.ts'
import { deleteOldChanges } from './platform/change-log.ts'
import { deleteOldWindows } from './platform/rate-limits.ts'

onEveryStore(store => {
  it('deletes all old rows, also if there are more than fit in one statement, and keeps the others', async () => {
    const { db } = store()
    const times = Array.from({ length: deletedAtOnce * 2 + 1 }, (_, at) => at)
    const windows = times.map(at => ({ key: `batch ${at}`, window_start: at, count: 1 }))
    const changes = times.map(at => ({ topic: 'batch', key: String(at), at }))
    for (let at = 0; at < times.length; at += 500) {
      await db
        .insertInto('rate_limits')
        .values(windows.slice(at, at + 500))
        .execute()
      await db
        .insertInto('changes')
        .values(changes.slice(at, at + 500))
        .execute()
    }
    const newest = times.length - 1
    await deleteOldWindows(db, newest)
    await deleteOldChanges(db, newest)
    expect(
      await db.selectFrom('rate_limits').select('key').where('key', 'like', 'batch %').execute(),
    ).toEqual([{ key: `batch ${newest}` }])
    expect(await db.selectFrom('changes').select('key').where('topic', '=', 'batch').execute()).toEqual([
      { key: String(newest) },
    ])
  })
})
