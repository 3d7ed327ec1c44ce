import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AsideThread } from './aside-thread.ts'
import { Writer } from './writer.ts'

async function openBoth() {
  const dir = await mkdtemp(join(tmpdir(), 'svc-aside-'))
  const file = join(dir, 'test.db')
  const writer = await Writer.open(file)
  const aside = new AsideThread(file)
  onTestFinished(async () => {
    await aside.close()
    await writer.close()
    await rm(dir, { recursive: true })
  })
  return { writer, aside }
}

test('a read after the thread has ended starts another one', async () => {
  const { aside } = await openBoth()
  expect(await aside.execute('select 1 as n', [])).toEqual({ rows: [{ n: 1 }] })
  await aside.close()
  expect(await aside.execute('select 2 as n', [])).toEqual({ rows: [{ n: 2 }] })
})

test('a read that is under way when the thread ends is answered', async () => {
  const { aside } = await openBoth()
  await aside.execute('select 1', [])
  const reading = aside.execute('select 3 as n', [])
  await new Promise(setImmediate)
  await aside.close()
  expect(await reading).toEqual({ rows: [{ n: 3 }] })
})

test('a statement that is refused rejects, and the next read is answered', async () => {
  const { aside } = await openBoth()
  await expect(aside.execute('select nonsense', [])).rejects.toThrow('nonsense')
  expect(await aside.execute('select 4 as n', [])).toEqual({ rows: [{ n: 4 }] })
})
