import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { rowsOf } from './file-tables.ts'
import { openSingleFile } from './single-file.ts'

test('all rows of a table are read, also if memory is collected between the batches', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const connection = openSingleFile(':memory:')
  connection.exec('create table numbers (n integer, text text)')
  connection.exec(
    "with recursive count(n) as (select 1 union all select n + 1 from count where n < 20000) insert into numbers select n, 'x' from count",
  )
  let seen = 0
  for (const batch of rowsOf(connection, { name: 'numbers', columns: ['text', 'n'] })) {
    expect(batch).toEqual(batch.map((_, at) => ['x', BigInt(seen + at + 1)]))
    seen += batch.length
    await nextTurn()
    collect()
  }
  expect(seen).toBe(20_000)
  connection.close()
})
