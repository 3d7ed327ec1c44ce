import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Change } from '../ports/changes/port.ts'
import { addProject, deploymentRow } from '../testing/rows.ts'
import { onEveryStore } from '../testing/stores.ts'
import { makeLive } from './deployments/deployments.ts'
import { findStored } from './deployments/stored.ts'
import { insertDeployment } from './deployments/uploads.ts'
import { nextForgeId } from './identity/accounts.ts'
import { migrations } from './migrations/index.ts'
import { claim, finish, insertJob, retryAt } from './platform/jobs.ts'
import { countRequest } from './platform/rate-limits.ts'
import { findSite } from './projects/projects.ts'
import type { Store, Tx } from './store.ts'
import type { DeploymentRow } from './tables.ts'

let counter = 0
const unique = (prefix: string) => `${prefix}_${String(++counter).padStart(16, '0')}`

const deploymentOf = (project_id: string, status: DeploymentRow['status']): DeploymentRow =>
  deploymentRow({ id: unique('dep'), project_id, status, created_at: ++counter, size_bytes: 2 ** 40 })

onEveryStore((store, another) => {
  it('the store keeps 64-bit numbers exact', async () => {
    const project = await addProject(store())
    const row = deploymentOf(project.id, 'superseded')
    await insertDeployment(store().db, row)
    const kept = await store()
      .db.selectFrom('deployments')
      .selectAll()
      .where('id', '=', row.id)
      .executeTakeFirst()
    expect(kept).toEqual(row)
  })

  it('the store applies no migration twice, also from several programs at once', async () => {
    expect(await Promise.all([store().migrate(), store().migrate(), store().migrate()])).toEqual([[], [], []])
  })

  it('the store migrates a database whose migrations still have the numbers of the first releases', async () => {
    const { db } = store()
    const names = Object.keys(migrations('sqlite')).slice(8)
    for (const name of names.toReversed()) {
      const old = String(Number(name.slice(0, 3)) + 1).padStart(3, '0') + name.slice(3)
      await sql`update kysely_migration set name = ${old} where name = ${name}`.execute(db)
    }
    expect(await Promise.all([store().migrate(), store().migrate()])).toEqual([[], []])
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    expect(rows.map(row => row.name)).toEqual(Object.keys(migrations('sqlite')))
  })

  it('the store gives each migration a number of its own, and lists them in this order', () => {
    const numbers = Object.keys(migrations('sqlite')).map(name => Number(name.slice(0, 3)))
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  })

  it('the store takes back everything of a transaction that fails', async () => {
    const before = await addProject(store())
    const failed = store().transact(async (tx, changed) => {
      await tx.deleteFrom('projects').where('id', '=', before.id).execute()
      await changed({ topic: 'project', key: before.name })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect((await findSite(store().db, before.name)).rows).toHaveLength(1)
  })

  it('the store goes on after a statement that the engine refuses', async () => {
    const project = await addProject(store())
    const row = deploymentOf(project.id, 'superseded')
    await insertDeployment(store().db, row)
    await expect(insertDeployment(store().db, row)).rejects.toThrow()
    await expect(store().transact(tx => insertDeployment(tx, row))).rejects.toThrow()
    expect((await findStored(store().db, project.id, row.id)).rows).toHaveLength(1)
  })

  it('the store commits nothing of a transaction that went on after a refused statement', async () => {
    const { id } = await addProject(store())
    const rename = (tx: Tx, name: string) =>
      tx.updateTable('projects').set({ name }).where('id', '=', id).execute()
    const first = unique('before')
    const swallowing = store().transact(async tx => {
      await rename(tx, first)
      await sql`insert into nowhere values (1)`.execute(tx).catch(() => undefined)
      await rename(tx, unique('after')).catch(() => undefined)
    })
    // PostgreSQL answers the commit with a rollback, SQLite refuses it.
    await swallowing.catch(() => undefined)
    expect((await findSite(store().db, first)).rows).toEqual([])
    await store().transact(tx => rename(tx, first))
    expect((await findSite(store().db, first)).rows).toHaveLength(1)
  })

  it('the store lets a transaction without a statement pass', async () => {
    expect(await store().transact(async () => 'nothing to do')).toBe('nothing to do')
    await addProject(store())
  })

  it('the store gives concurrent transactions their own turn', async () => {
    const before = await store().transact(nextForgeId)
    const numbers = await Promise.all(
      Array.from({ length: 20 }, () => store().transact(tx => nextForgeId(tx))),
    )
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => before + 1 + i))
  })

  it('the store reads aside what was committed, also while somebody writes', async () => {
    const { aside, transact } = store()
    const { id, name } = await addProject(store())
    const nameOf = async () =>
      (await aside.selectFrom('projects').select('name').where('id', '=', id).executeTakeFirst())?.name
    await transact(async tx => {
      await tx
        .updateTable('projects')
        .set({ name: `${name}-new` })
        .where('id', '=', id)
        .execute()
      expect(await nameOf()).toBe(name)
    })
    expect(await nameOf()).toBe(`${name}-new`)
  })

  it('the store never has two live deployments, however many moves run at once', async () => {
    const project = await addProject(store())
    const rows = Array.from({ length: 8 }, () => deploymentOf(project.id, 'superseded'))
    for (const row of rows) await insertDeployment(store().db, row)
    const moved = await Promise.all(
      rows.map(row => store().transact(tx => makeLive(tx, project.id, row.id, ['live', 'superseded'], 1))),
    )
    expect(moved).toEqual(rows.map(() => true))
    const live = await store()
      .db.selectFrom('deployments')
      .select('id')
      .where('project_id', '=', project.id)
      .where('status', '=', 'live')
      .execute()
    const { rows: site } = await findSite(store().db, project.name)
    expect(live).toEqual([{ id: site[0]?.deployment_id }])
  })

  it('the store refuses a second live deployment even from a statement that forgot the rule', async () => {
    const project = await addProject(store())
    await insertDeployment(store().db, deploymentOf(project.id, 'live'))
    await expect(insertDeployment(store().db, deploymentOf(project.id, 'live'))).rejects.toThrow()
  })

  it('the store counts requests per window, and begins anew when it has ended', async () => {
    const key = unique('key')
    const count = async (now: number) => (await countRequest(store().db, key, now, 1000)).count
    expect([await count(0), await count(999), await count(1000), await count(1001)]).toEqual([1, 2, 1, 2])
  })

  it('the store counts exactly under concurrency', async () => {
    const key = unique('key')
    const counts = await Promise.all(Array.from({ length: 25 }, () => countRequest(store().db, key, 5, 1000)))
    expect(counts.map(c => c.count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 25 }, (_, i) => i + 1),
    )
  })

  describe('changes', () => {
    const nextChange = (of: Store, key: string) =>
      new Promise<Change>(resolve => {
        const stop = of.changes.subscribe(change => {
          if (change.topic !== 'project' || change.key !== key) return
          stop()
          resolve(change)
        })
      })

    it('are told in this process before the transaction resolves', async () => {
      const told: Change[] = []
      const stop = store().changes.subscribe(change => told.push(change))
      await store().transact((_, changed) => changed({ topic: 'project', key: 'here' }))
      stop()
      expect(told).toContainEqual({ topic: 'project', key: 'here' })
    })

    it('are not told where the transaction failed', async () => {
      const told: Change[] = []
      const stop = store().changes.subscribe(change => told.push(change))
      const failed = store().transact(async (_, changed) => {
        await changed({ topic: 'project', key: 'never' })
        throw new Error('no')
      })
      await expect(failed).rejects.toThrow('no')
      stop()
      expect(told).not.toContainEqual({ topic: 'project', key: 'never' })
    })

    it('reach other programs on the same database', async () => {
      const other = await another()
      const heard = nextChange(other, 'there')
      await store().transact((_, changed) => changed({ topic: 'project', key: 'there' }))
      expect(await heard).toEqual({ topic: 'project', key: 'there' })
    })
  })

  describe('jobs', () => {
    const claimAt = (now: number, claimedUntil: number) =>
      claim(store().db, { kinds: ['test'], fingerprint: 'f', now, claimedUntil })

    it('wait once per kind and key, and go to one worker', async () => {
      const job = { kind: 'test', payload: '{}', key: unique('k'), runAt: 10, now: 10 }
      await Promise.all([insertJob(store().db, job), insertJob(store().db, job)])
      const claims = await Promise.all(Array.from({ length: 5 }, () => claimAt(10, 100)))
      const [claimed, ...rest] = claims.filter(c => c !== undefined)
      expect(rest).toEqual([])
      expect(claimed).toMatchObject({ kind: 'test', key: job.key, attempts: 1 })
      expect(await claimAt(99, 200)).toBeUndefined()
      await finish(store().db, claimed!.id)
    })

    it('are taken up again when their worker died, and when they are due again', async () => {
      await insertJob(store().db, { kind: 'test', payload: '{}', key: unique('k'), runAt: 10, now: 10 })
      const first = await claimAt(10, 100)
      const second = await claimAt(100, 200)
      expect(second).toMatchObject({ id: first!.id, attempts: 2 })
      await retryAt(store().db, second!.id, 500)
      expect(await claimAt(499, 900)).toBeUndefined()
      expect(await claimAt(500, 900)).toMatchObject({ id: first!.id, attempts: 3 })
      await finish(store().db, first!.id)
    })
  })

  it('the store says when it cannot be used', async () => {
    await store().check()
    const other = await another()
    await other.close()
    await expect(other.check()).rejects.toThrow()
  })

  it('the store runs on the engine it says', async () => {
    const version = store().engine === 'sqlite' ? sql`select sqlite_version()` : sql`select version()`
    expect((await version.execute(store().db)).rows).toHaveLength(1)
  })
})
