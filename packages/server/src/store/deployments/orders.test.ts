// What the queries about a project's deployments read, when it has many.
import { type CompiledQuery, sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { mostRowsRead, noting, stepsOn } from '../../testing/query-costs.ts'
import { addProject } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import type { Db } from '../store.ts'
import { listDeployments, makeLive, newestOfBranch, previewsOf } from './deployments.ts'
import { findLatestBranchDeployment } from './stored.ts'
import { findNewestOfSameBranch, findSuperseded } from './superseded.ts'

const many = 5_000
const page = { limit: 20 }

onEveryStore(store => {
  let project: string

  beforeAll(async () => {
    project = (await addProject(store())).id
    await sql`insert into deployments (id, project_id, status, kind, created_at, superseded_at, warnings, node_id, from_fork)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${many})
      select 'dep_' || ${project} || n, ${project}, 'superseded', 'static', n, n, '[]', 'node', 0 from numbers`.execute(
      store().db,
    )
    if (store().engine === 'postgres') await sql`analyze deployments`.execute(store().db)
  })

  const queries: [what: string, run: (db: Db) => Promise<unknown>][] = [
    ['a page by status', db => listDeployments(db, project, { status: 'failed' }, page)],
    ['a page by kind', db => listDeployments(db, project, { kind: 'server' }, page)],
    ['a page by branch', db => listDeployments(db, project, { branch: 'nowhere' }, page)],
    ['the newest of a branch', db => newestOfBranch(db, project, 'nowhere')],
    ['the latest of a branch', db => findLatestBranchDeployment(db, project, 'nowhere')],
    ['the previews of a branch', db => previewsOf(db, project, 'nowhere')],
    [
      'the newest of the branch of a deployment',
      db => findNewestOfSameBranch(db, project, `dep_${project}1`),
    ],
    ['what was live until a while ago', db => findSuperseded(db, project, many - 10)],
    ['a deployment that goes live', db => makeLive(db as never, project, 'none', ['superseded'], many)],
  ]

  it.each(queries)('%s reads hardly more deployments than it finds', async (_, run) => {
    const noted: CompiledQuery[] = []
    await run(noting(store().db, noted))
    const about = noted.filter(
      query => query.sql.includes('"deployments"') && !/^update "projects"/.test(query.sql),
    )
    expect(about.length).toBeGreaterThan(0)
    for (const query of about)
      if (store().engine === 'postgres')
        expect(await mostRowsRead(store().db, query, 'deployments')).toBeLessThan(50)
      else
        for (const step of await stepsOn(store().db, query, ['deployments']))
          expect(step).not.toMatch(/^SCAN|\(project_id=\?\)$/)
  })
})
