// Which other nodes a node asks, and in which order.
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { recordNode } from '../store/platform/nodes.ts'
import { openPostgres } from '../store/postgres/store.ts'
import type { Store } from '../store/store.ts'
import { migratedPostgres } from '../testing/postgres.ts'
import { NodeDirectory } from './directory.ts'

async function openStore(): Promise<Store> {
  const { url, drop } = await migratedPostgres()
  onTestFinished(drop)
  const store = await openPostgres(url, () => undefined)
  onTestFinished(() => store.close())
  await store.migrate()
  return store
}

const node = (id: string, roles: string) => ({
  ...{ id, node_id: id, version: '1.0.0' },
  ...{ roles, address: `${id}.example:4000` },
})

const fallSilent = (store: Store) => sql`update nodes set seen_at = seen_at - 3600000`.execute(store.db)

test('nodes that were living before the database stood still are asked until they write again', async () => {
  const store = await openStore()
  await recordNode(store.db, node('one', 'api,runner'))
  await recordNode(store.db, node('two', 'api,edge'))
  const directory = new NodeDirectory({ store, onError: error => expect.fail(String(error)) })
  const asked = async () => (await directory.withRole('api', 'read anew')).map(({ id }) => id)
  expect((await asked()).sort()).toEqual(['one', 'two'])

  await fallSilent(store)
  // An app is looked for only where its node is known to live.
  await expect.poll(() => asked().then(() => directory.runnerOf('one'))).toBeUndefined()
  expect(await asked()).toEqual(['one', 'two'])
  expect((await directory.withRole('edge')).map(({ id }) => id)).toEqual(['two'])

  await recordNode(store.db, node('two', 'api,edge'))
  await expect.poll(asked).toEqual(['two', 'one'])
  expect(await asked()).toEqual(['two', 'one'])
})
