// What happens when the connection to PostgreSQL breaks, stands still, or is refused.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Change } from '../../ports/changes/port.ts'
import { migratedPostgres } from '../../testing/postgres.ts'
import { TcpProxy } from '../../testing/tcp-proxy.ts'
import { troubleOf } from '../faults.ts'
import type { Store } from '../store.ts'
import { defaultLimits } from './pool.ts'
import { openPostgres } from './store.ts'

async function database(): Promise<string> {
  const { url, drop } = await migratedPostgres()
  onTestFinished(drop)
  return url
}

async function open(url: string, options: Parameters<typeof openPostgres>[2] = {}): Promise<Store> {
  const store = await openPostgres(url, () => undefined, options)
  onTestFinished(() => store.close())
  await store.migrate()
  return store
}

async function proxied(url: string): Promise<{ proxy: TcpProxy; url: string }> {
  const made = await TcpProxy.before(url)
  onTestFinished(() => made.proxy.close())
  return made
}

const change = (store: Store, key: string): Promise<void> =>
  store.transact((_, changed) => changed({ topic: 'project', key }))

function keysOf(store: Store): string[] {
  const keys: string[] = []
  store.changes.subscribe(change => 'key' in change && keys.push(change.key))
  return keys
}

const until = (holds: () => unknown): Promise<unknown> => vi.waitFor(holds, { timeout: 120_000 })

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )

test('a transaction whose connection PostgreSQL ends fails, and the store goes on', async () => {
  const url = await database()
  const [store, admin] = [await open(url), await open(url)]
  const lost = failure(
    store.transact(async tx => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(admin.db)
      // The connection is told while no statement of it runs, and again while one does.
      await until(async () => {
        const { rows: left } = await sql`select 1 from pg_stat_activity where pid = ${rows[0]!.pid}`.execute(
          admin.db,
        )
        expect(left).toEqual([])
      })
      await sql`select 1`.execute(tx)
    }),
  )
  expect(troubleOf(await lost)).toBe('away')
  await store.check()
})

test('connections that are reset fail their statements, and the next ones run', async () => {
  const { proxy, url } = await proxied(await database())
  const store = await open(url)
  const lost = failure(sql`select pg_sleep(60)`.execute(store.db))
  await until(async () => {
    const { rows } =
      await sql`select 1 from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()`.execute(
        store.db,
      )
    expect(rows).not.toEqual([])
  })
  proxy.reset()
  expect(troubleOf(await lost)).toBe('away')
  await store.check()
})

test('a database that does not answer fails what waits for it, then everything at once, until it answers', async () => {
  const { proxy, url } = await proxied(await database())
  const store = await open(url)
  proxy.freeze()
  expect(troubleOf(await failure(sql`select 1`.execute(store.db)))).toBe('away')
  proxy.thaw()
  await until(() => store.check())
})

test('a statement that waits for a lock too long, or runs too long, fails', async () => {
  const url = await database()
  const store = await open(url, { limits: { ...defaultLimits, statementMs: 600, lockMs: 100 } })
  expect(troubleOf(await failure(sql`select pg_sleep(30)`.execute(store.db)))).toBe('away')
  const other = await open(url)
  await other.db.transaction().execute(async tx => {
    await sql`lock table projects`.execute(tx)
    const waiting = failure(sql`select 1 from projects`.execute(store.db))
    expect(await waiting).toMatchObject({ code: '55P03' })
  })
})

test('no more connections are opened than the setting allows', async () => {
  const url = await database()
  const store = await open(url, { limits: { ...defaultLimits, connections: 3 } })
  await Promise.all(Array.from({ length: 20 }, () => sql`select pg_sleep(0.05)`.execute(store.db)))
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from pg_stat_activity where datname = current_database()`.execute(store.db)
  // The change feed has one of its own.
  expect(rows[0]!.n).toBeLessThanOrEqual(4)
})

test.each(['listen', 'poll'] as const)('a change is done when every process has it (%s)', async feed => {
  const url = await database()
  const [writer, reader] = [await open(url, { feed }), await open(url, { feed })]
  const seen = keysOf(reader)
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await until(async () => {
      const { rows } = await sql`select 1 from feed_followers`.execute(writer.db)
      expect(rows).toHaveLength(2)
    })
    await change(writer, key)
    expect(seen).toContain(key)
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('a feed whose connection stands still says so, connects again, and reads what it missed', async () => {
  const direct = await database()
  const { proxy, url } = await proxied(direct)
  const [writer, reader] = [await open(direct), await open(url)]
  const seen = keysOf(reader)
  const unconfirmed = vi.fn()
  reader.changes.subscribe(({ topic }) => topic === 'unconfirmed' && unconfirmed())
  proxy.freeze()
  await change(writer, 'missed')
  // The writer waited until the reader had stopped to trust what it knows.
  expect(seen).toEqual([])
  expect(unconfirmed).toHaveBeenCalled()
  expect(reader.changes.lagMs()).toBeGreaterThan(0)
  proxy.thaw()
  proxy.reset()
  await until(() => expect(seen).toEqual(['missed']))
})

test('a half-open connection of the feed alone is noticed', async () => {
  const direct = await database()
  const { proxy, url } = await proxied(direct)
  const [writer, reader] = [await open(direct), await open(url)]
  const seen = keysOf(reader)
  proxy.freeze({ onlyThese: true })
  await change(writer, 'missed')
  await until(() => expect(seen).toEqual(['missed']))
})

test('a change whose transaction ends after later ones is not missed', async () => {
  const direct = await database()
  const { proxy, url } = await proxied(direct)
  const [writer, reader] = [await open(direct), await open(url)]
  const seen = keysOf(reader)
  let commit = (): void => undefined
  const late = writer.transact(async (_, changed) => {
    await changed({ topic: 'project', key: 'first row, last commit' })
    await new Promise<void>(resolve => {
      commit = resolve
    })
  })
  await change(writer, 'second row, first commit')
  await until(() => expect(seen).toEqual(['second row, first commit']))
  proxy.refuse(true)
  commit()
  await late
  proxy.refuse(false)
  await until(() => expect(seen).toEqual(['second row, first commit', 'first row, last commit']))
})

test('a process tells its listeners of each change once', async () => {
  const url = await database()
  const [store, other] = [await open(url), await open(url)]
  const seen: Change[] = []
  store.changes.subscribe(change => seen.push(change))
  await change(store, 'own')
  await change(other, 'of the other')
  await change(other, 'last')
  expect(seen.map(change => 'key' in change && change.key)).toEqual(['own', 'of the other', 'last'])
})

test('a database that is starting, or a standby, counts as away at the start', async () => {
  for (const code of ['57P03', '25006']) {
    const fields = [`SFATAL`, `C${code}`, 'Mthe database system is starting up', '', ''].join('\0')
    const head = Buffer.alloc(5)
    head.write('E')
    head.writeInt32BE(fields.length + 4, 1)
    const server = createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const store = await openPostgres(`postgres://nobody@127.0.0.1:${port}/none`, () => undefined)
    onTestFinished(() => store.close())
    expect(troubleOf(await failure(store.migrate()))).toBe('away')
    expect(troubleOf(await failure(store.check()))).toBe('away')
  }
})
