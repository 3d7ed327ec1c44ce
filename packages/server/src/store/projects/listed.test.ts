// The order of the list of projects, and what a page of it costs.
import { type CompiledQuery, sql } from 'kysely'
import { expect, it } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { mostRowsRead, noting, stepsOn } from '../../testing/query-costs.ts'
import { addAccount, addProject, buildRow, deploymentRow } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { freshName } from '../../testing/team.ts'
import { insertBuild } from '../builds/builds.ts'
import { checkTotals } from '../deployments/stored-totals.ts'
import { insertDeployment } from '../deployments/uploads.ts'
import { lastActivity } from '../migrations/149-last-activity.ts'
import type { Db } from '../store.ts'
import { listProjects } from './listed.ts'
import { addStar } from './stars.ts'

type Sort = 'activity' | 'name'

onEveryStore(store => {
  /** Projects with deployments and builds at many times, some of them at the same, and some with a star of their owner. */
  async function ownerOfMany(): Promise<string> {
    const owner = await addAccount(store())
    for (let i = 0; i < 12; i++) {
      const { id: project_id } = await addProject(store(), undefined, owner)
      for (const at of [(i * 7) % 12, (i * 5) % 4].filter(time => time > 0))
        await insertDeployment(store().db, deploymentRow({ project_id, created_at: at * 1_000 }))
      if (i % 3 === 0)
        await store().transact(tx => insertBuild(tx, buildRow({ project_id, created_at: i * 900 })))
      if (i % 4 === 1) await addStar(store().db, owner, project_id)
    }
    return owner
  }

  async function inPages(owner: string, sort: Sort, limit: number): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listProjects(store().db, owner, { accountId: owner }, { sort, limit, cursor })
      ids.push(...page.rows.map(row => row.id))
      if (page.next_cursor === null) return ids
      cursor = page.next_cursor
    }
  }

  /** By all rows, as each page did before the time of the last activity was kept. */
  async function ordered(owner: string): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`select projects.id from projects
      left join stars on stars.project_id = projects.id and stars.account_id = ${owner}
      where projects.account_id = ${owner}
      order by case when stars.project_id is null then 1 else 0 end, (select max(at) from (
        select projects.created_at as at
        union all select max(created_at) from deployments where project_id = projects.id
        union all select max(created_at) from builds where project_id = projects.id) as moves) desc, projects.id`.execute(
      store().db,
    )
    return rows.map(row => row.id)
  }

  it('by activity, projects stand in the order of their last deployment or build, in pages of any size', async () => {
    const owner = await ownerOfMany()
    const all = await ordered(owner)
    for (const limit of [1, 3, 5, 100]) expect(await inPages(owner, 'activity', limit)).toEqual(all)
  })

  it('the order is the same after an upgrade, and after an older version has deployed and built meanwhile', async () => {
    const owner = await ownerOfMany()
    const { db } = store()
    for (const name of ['account_activity', 'org_activity', 'account_name', 'org_name'])
      await db.schema.dropIndex(`projects_by_${name}`).execute()
    await db.schema.alterTable('projects').dropColumn('active_at').execute()
    await lastActivity(db as never)
    expect(await inPages(owner, 'activity', 5)).toEqual(await ordered(owner))

    // The older version counts what it stores, and does not know the column.
    const last = (await inPages(owner, 'activity', 100)).at(-1)!
    await db
      .insertInto('deployments')
      .values(deploymentRow({ id: newId('dep'), project_id: last, created_at: 99_000 }))
      .execute()
    await db
      .insertInto('stored_totals')
      .values({ project_id: last, bytes: 1, deployments: 1, checked_at: 0 })
      .onConflict(c => c.column('project_id').doNothing())
      .execute()
    await checkTotals(store(), { before: 100_000, now: 100_000, atMost: 1_000 })
    expect(await inPages(owner, 'activity', 5)).toEqual(await ordered(owner))
  })

  it.each<Sort>(['activity', 'name'])(
    'a page by %s reads hardly more projects than it shows, however many the owner has',
    async sort => {
      const owner = await addAccount(store())
      const prefix = freshName()
      await sql`insert into projects (id, name, account_id, created_at, access_mode, access_generation)
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5000)
        select 'prj_' || ${prefix} || n, ${prefix} || '-' || n, ${owner}, n, 'public', 0 from numbers`.execute(
        store().db,
      )
      for (const n of [4, 4_000]) await addStar(store().db, owner, `prj_${prefix}${n}`)
      if (store().engine === 'postgres') await sql`analyze`.execute(store().db)
      const noted: CompiledQuery[] = []
      const { next_cursor } = await listProjects(
        noting(store().db, noted),
        owner,
        { accountId: owner },
        { sort, limit: 20 },
      )
      await listProjects(
        noting(store().db, noted),
        owner,
        { accountId: owner },
        { sort, limit: 20, cursor: next_cursor! },
      )
      expect(noted).toHaveLength(2)
      for (const query of noted)
        if (store().engine === 'postgres')
          expect(await mostRowsRead(store().db, query, 'projects')).toBeLessThan(100)
        else expect(await tablesInTurn(store().db, query)).toEqual([])
    },
  )
})

/** Steps that read more of `projects` than single rows by their ids and a range in the order of the page, or all stars. */
async function tablesInTurn(db: Db, query: CompiledQuery): Promise<string[]> {
  const steps = await stepsOn(db, query, ['projects', 'stars'])
  return steps.filter(
    step =>
      !/ \(id=\?\)$| \(account_id=\? AND (<expr>|name)>\?\)$|^SEARCH stars .*\(account_id=\?/.test(step),
  )
}
