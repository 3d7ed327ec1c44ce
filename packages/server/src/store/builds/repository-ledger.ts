// The rows of repositories on the storage. Every change first takes the row of its repository, so changes come one after another.
import { dayMs, hourMs } from '@svc/contract/durations'
import type { Clock } from '../../lib/clock.ts'
import type {
  LedgerPush,
  RepoLedger,
  RepoState,
  RepoVersion,
  StoredPack,
} from '../../ports/repo-ledger/port.ts'
import type { Db, Store, Tx } from '../store.ts'
import type { RepositoryPackRow, RepositoryStateRow } from '../tables.ts'
import { changeRefs, countRefs, refsOf, whyRefsClash } from './repository-refs.ts'

/** Other nodes may still read a pack that was replaced. */
const readAfterMs = hourMs
const uploadMs = dayMs
const readsAtMost = 20

export function repositoryLedger(store: Pick<Store, 'db' | 'transact'>, clock: Clock): RepoLedger {
  const { db } = store
  return {
    async create(id, { head, refs, packs }) {
      await store.transact(async tx => {
        const row: RepositoryStateRow = { repository_id: id, version: 1, generation: 1, head }
        const made = await tx
          .insertInto('repository_states')
          .values(row)
          .onConflict(c => c.doNothing())
          .executeTakeFirst()
        if (made.numInsertedOrUpdatedRows !== 1n) return
        await changeRefs(
          tx,
          id,
          [...refs].map(([ref, to]) => ({ ref, from: undefined, to })),
        )
        for (const pack of packs) await keepPack(tx, id, pack, clock.now())
      })
    },
    versionOf: id => stateRow(db, id),
    read: id => readState(db, id),
    async ids() {
      const rows = await db
        .selectFrom('repository_states')
        .select('repository_id')
        .union(db.selectFrom('repository_packs').select('repository_id'))
        .execute()
      return rows.map(row => row.repository_id)
    },
    async size(id) {
      const packs = await livePacks(db, id)
      return packs.reduce((sum, { packBytes, indexBytes }) => sum + packBytes + indexBytes, 0)
    },
    refCount: id => countRefs(db, id),
    async setHead(id, head) {
      await store.transact(async tx => {
        if (await takeRow(tx, id))
          await tx.updateTable('repository_states').set({ head }).where('repository_id', '=', id).execute()
      })
    },
    async announce(id, object) {
      const row: RepositoryPackRow = {
        ...{ id: object, repository_id: id, status: 'uploading', since: clock.now() },
        ...{ name: '', pack_bytes: 0, index_bytes: 0, sha256: '' },
      }
      await db.insertInto('repository_packs').values(row).execute()
    },
    async push(id, push) {
      try {
        await store.transact(tx => takePush(tx, id, push, clock.now()))
      } catch (error) {
        if (error instanceof Refused) return error.message
        throw error
      }
    },
    async replacePacks(id, old, pack, base) {
      return await store
        .transact(async tx => {
          const before = await takeRow(tx, id, base ? 1 : 0)
          if (!before || (base && before.version !== base.version)) throw new Overtaken()
          const ids = old.map(row => row.id)
          const replaced = await tx
            .updateTable('repository_packs')
            .set({ status: 'unused', since: clock.now() })
            .where('id', 'in', ids)
            .where('status', '=', 'live')
            .executeTakeFirst()
          if (replaced.numUpdatedRows !== BigInt(ids.length)) throw new Overtaken()
          if (pack) await keepPack(tx, id, pack, clock.now())
          return true
        })
        .catch(error => {
          if (error instanceof Overtaken) return false
          throw error
        })
    },
    async unused(id) {
      const now = clock.now()
      const isKept = (await stateRow(db, id)) !== undefined
      const rows = await db
        .selectFrom('repository_packs')
        .select('id')
        .where('repository_id', '=', id)
        .where(eb =>
          eb.or([
            eb('status', '=', 'unused').and('since', '<', isKept ? now - readAfterMs : now + 1),
            eb('status', '=', 'uploading').and('since', '<', now - uploadMs),
          ]),
        )
        .execute()
      return rows.map(row => row.id)
    },
    async forgetObject(object) {
      await db.deleteFrom('repository_packs').where('id', '=', object).execute()
    },
    async clear(id) {
      await store.transact(async tx => {
        await tx.deleteFrom('repository_states').where('repository_id', '=', id).execute()
        await tx.deleteFrom('repository_refs').where('repository_id', '=', id).execute()
        await tx
          .updateTable('repository_packs')
          .set({ status: 'unused', since: clock.now() })
          .where('repository_id', '=', id)
          .where('status', '=', 'live')
          .execute()
      })
    },
  }
}

/** False for a database that no svcd of this version has opened yet. */
export async function hasLedger(db: Db): Promise<boolean> {
  return (await db.introspection.getTables()).some(({ name }) => name === 'repository_states')
}

/** Another node has changed the packs meanwhile. */
class Overtaken extends Error {}

/** Why a push is refused. Its transaction is undone. */
class Refused extends Error {}

const stateRow = async (db: Db, id: string): Promise<(RepoVersion & { head: string }) | undefined> => {
  const row = await db
    .selectFrom('repository_states')
    .select(['version', 'generation', 'head'])
    .where('repository_id', '=', id)
    .executeTakeFirst()
  return row && { ...row, version: Number(row.version), generation: Number(row.generation) }
}

/** Reads again if the repository changed while its rows were read. */
async function readState(db: Db, id: string): Promise<RepoState | undefined> {
  for (let time = 0; time < readsAtMost; time++) {
    const before = await stateRow(db, id)
    if (!before) return undefined
    const state = { ...before, refs: await refsOf(db, id), packs: await livePacks(db, id) }
    const after = await stateRow(db, id)
    if (after?.version === before.version) return state
  }
  throw new Error(`the repository ${id} changes faster than it can be read`)
}

async function livePacks(db: Db, id: string): Promise<StoredPack[]> {
  const rows = await db
    .selectFrom('repository_packs')
    .selectAll()
    .where('repository_id', '=', id)
    .where('status', '=', 'live')
    .orderBy('since')
    .execute()
  return rows.map(({ id, name, pack_bytes, index_bytes, sha256 }) => ({
    ...{ id, name, sha256 },
    packBytes: Number(pack_bytes),
    indexBytes: Number(index_bytes),
  }))
}

/** Keeps every other change of the repository waiting until this transaction ends. Returns what it was before. */
async function takeRow(tx: Tx, id: string, generations = 0): Promise<RepoVersion | undefined> {
  const row = await tx
    .updateTable('repository_states')
    .set(eb => ({ version: eb('version', '+', 1), generation: eb('generation', '+', generations) }))
    .where('repository_id', '=', id)
    .returning(['version', 'generation'])
    .executeTakeFirst()
  return row && { version: Number(row.version) - 1, generation: Number(row.generation) - generations }
}

async function keepPack(tx: Tx, repositoryId: string, pack: StoredPack, now: number): Promise<void> {
  // Two clients may push the same pack. Its second object stays announced, and is removed a day later.
  const same = await tx
    .selectFrom('repository_packs')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('status', '=', 'live')
    .where('name', '=', pack.name)
    .executeTakeFirst()
  if (same) return
  const { name, packBytes: pack_bytes, indexBytes: index_bytes, sha256 } = pack
  const kept = await tx
    .updateTable('repository_packs')
    .set({ status: 'live', since: now, name, pack_bytes, index_bytes, sha256 })
    .where('id', '=', pack.id)
    .where('status', '=', 'uploading')
    .executeTakeFirst()
  if (kept.numUpdatedRows !== 1n) throw new Error(`the object ${pack.id} was removed while it was uploaded`)
}

async function takePush(tx: Tx, id: string, push: LedgerPush, now: number): Promise<void> {
  const { base, updates, pack } = push
  const before = await takeRow(tx, id)
  if (!before) throw new Refused('The repository was deleted meanwhile.')
  if (before.generation !== base.generation)
    throw new Refused('The repository was tidied meanwhile. Push again.')
  const clash = await whyRefsClash(tx, id, updates, before.version !== base.version)
  if (clash !== undefined) throw new Refused(clash)
  if (pack) await keepPack(tx, id, pack, now)
  await changeRefs(tx, id, updates)
  await tx.updateTable('repositories').set({ is_behind: 1 }).where('id', '=', id).execute()
}
