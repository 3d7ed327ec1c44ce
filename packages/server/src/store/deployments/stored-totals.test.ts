import { expect, it } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { addProject, deploymentRow } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { bytesPerDeployment, storedBytes } from '../billing/plan-usage.ts'
import { storedTotals } from '../migrations/078-stored-totals.ts'
import { emptyProject } from '../projects/emptying.ts'
import type { Store } from '../store.ts'
import { deleteInactive, makeLive } from './deployments.ts'
import { forgetParts, keepParts } from './parts.ts'
import { checkTotals } from './stored-totals.ts'
import { completeUpload, insertDeployment, markFailed, markUploaded } from './uploads.ts'

/** A repeatable sequence of numbers from 0 to 1 (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

const uploading = (project_id: string, id: string) =>
  deploymentRow({ id, project_id, status: 'uploading', file_count: null, size_bytes: null })

const complete = (store: Store, id: string, size: number) =>
  completeUpload(store.db, id, {
    ...{ file_count: 1, size_bytes: size, kind: 'static', framework: null, start_command: null },
    ...{ warnings: '[]', finished_at: 2, node_asked: null, node_version: null },
  })

/** What the totals stand for. */
async function summedUp({ db }: Store, projectId: string): Promise<number> {
  const rows = await db.selectFrom('deployments').selectAll().where('project_id', '=', projectId).execute()
  const counted = rows.filter(
    row => ['live', 'superseded', 'branch'].includes(row.status) || row.parts_until !== null,
  )
  return counted.reduce((sum, row) => sum + Number(row.size_bytes ?? 0) + bytesPerDeployment, 0)
}

onEveryStore((store, another) => {
  const newProject = async () => {
    const { id } = await addProject(store())
    return await store().db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  it.each([1, 2, 3, 4])(
    'the totals are exact after any operations at the same time (seed %i)',
    async seed => {
      const random = randomNumbers(seed)
      const choose = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
      const stores = [store(), await another()]
      const projects = [await newProject(), await newProject()]
      const ids = projects.map(() => [] as string[])
      const operations: ((at: Store, project: string, id: string) => Promise<unknown>)[] = [
        (at, project, id) => at.transact(tx => makeLive(tx, project, id, ['uploading'], 1)),
        (at, project, id) =>
          at.transact(tx => makeLive(tx, project, id, ['superseded', 'branch', 'live'], 1)),
        at => at.db.selectFrom('deployments').select('id').limit(1).execute(),
        (at, _, id) => at.transact(tx => markUploaded(tx, id, 'branch')),
        (at, _, id) => markFailed(at.db, id, 'failed', 1),
        (at, project, id) =>
          at.transact(tx => keepParts(tx, project, id, { bytes: Math.floor(random() * 500), until: 1 })),
        (at, _, id) => at.transact(tx => forgetParts(tx, [id])),
        (at, project, id) => at.transact(tx => deleteInactive(tx, project, id)),
        (at, _, id) => complete(at, id, Math.floor(random() * 1_000)),
      ]
      for (let round = 0; round < 25; round++) {
        const which = round % 2
        const project = projects[which]!.id
        const id = newId('dep')
        ids[which]!.push(id)
        await insertDeployment(store().db, uploading(project, id))
        await complete(store(), id, Math.floor(random() * 1_000))
        // A deployment that vanishes while it becomes live, or two that become live at once, are errors of one of them.
        await Promise.allSettled(
          Array.from({ length: 6 }, () =>
            choose(operations)(choose(stores), project, choose(ids[which]!.slice(-4))),
          ),
        )
      }
      for (const project of projects) {
        expect(await storedBytes(store().db, project, project.id)).toBe(await summedUp(store(), project.id))
        await store()
          .db.updateTable('projects')
          .set({ active_deployment_id: null })
          .where('id', '=', project.id)
          .execute()
        await emptyProject(store(), project.id, 1)
        expect(await storedBytes(store().db, project, project.id)).toBe(0)
      }
    },
  )

  it('a wrong total is found and repaired, and right ones are left alone', async () => {
    const projects = [await newProject(), await newProject()]
    for (const { id: project } of projects) {
      const id = newId('dep')
      await insertDeployment(store().db, uploading(project, id))
      await complete(store(), id, 700)
      await store().transact(tx => markUploaded(tx, id, 'branch'))
    }
    const [wrong, right] = projects as [(typeof projects)[0], (typeof projects)[0]]
    await store()
      .db.updateTable('stored_totals')
      .set({ bytes: 5, deployments: 7 })
      .where('project_id', '=', wrong.id)
      .execute()
    const check = (now: number) => checkTotals(store(), { before: now, now, atMost: 1_000 })
    expect(await check(100)).toEqual([wrong.id])
    expect(await check(200)).toEqual([])
    for (const project of [wrong, right])
      expect(await storedBytes(store().db, project, project.id)).toBe(700 + bytesPerDeployment)
  })

  it('deployments from before are counted when the database is brought to this version', async () => {
    const project = await newProject()
    for (const _ of [1, 2]) {
      const id = newId('dep')
      await insertDeployment(store().db, uploading(project.id, id))
      await complete(store(), id, 300)
      await store().transact(tx => markUploaded(tx, id, 'branch'))
    }
    await store().db.schema.dropTable('stored_totals').execute()
    await storedTotals(store().db as never)
    expect(await storedBytes(store().db, project)).toBe(600 + 2 * bytesPerDeployment)
  })
})
