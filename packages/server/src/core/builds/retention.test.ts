import { dayMs } from '@svc/contract/durations'
import { expect, it } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { appendBuildLog, insertBuild, readBuildLog } from '../../store/builds/builds.ts'
import { insertDeployment } from '../../store/deployments/uploads.ts'
import type { BuildRow } from '../../store/tables.ts'
import { addProject, deploymentRow } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { removeOldBuilds } from './retention.ts'

const now = 1_000 * dayMs

onEveryStore(store => {
  async function addBuild(projectId: string, daysAgo: number, row: Partial<BuildRow> = {}): Promise<string> {
    const id = newId('bld')
    const at = now - daysAgo * dayMs
    await store().transact(tx =>
      insertBuild(tx, {
        ...{ id, project_id: projectId, status: 'failed', branch: 'main', is_production: 1 },
        ...{ commit_sha: 'a'.repeat(40), commit_message: null, author: null, deployment_id: null },
        ...{ requested_by: null, created_at: at, started_at: at, finished_at: at + 1, error: null },
        ...{ node_id: null, lease_until: null, attempts: 1, cancel_requested: 0, from_fork: 0, asked_for: 0 },
        ...{ retries: 0, retry_at: null },
        ...row,
      }),
    )
    await appendBuildLog(store().db, { build_id: id, at: 0, bytes: 5, text: 'done\n', written_at: null })
    await appendBuildLog(store().db, { build_id: id, at: 5, bytes: 5, text: 'more\n', written_at: null })
    return id
  }

  async function addDeployment(projectId: string): Promise<string> {
    const row = deploymentRow({ project_id: projectId, finished_at: 1 })
    await insertDeployment(store().db, row)
    return row.id
  }

  const clock = { now: () => now }
  const remove = (kept: number) => removeOldBuilds({ store: store(), clock }, kept)
  const idsOf = async (projectId: string) =>
    (await store().db.selectFrom('builds').select('id').where('project_id', '=', projectId).execute())
      .map(row => row.id)
      .sort()
  const logOf = async (id: string) => (await readBuildLog(store().db, id, 0)).map(row => row.text).join('')

  it('a project keeps its newest builds, those that have not ended, and those whose deployment exists', async () => {
    const [project, other] = [await addProject(store()), await addProject(store())]
    const deployment = await addDeployment(project.id)
    const ages = [41, 42, 43]
    for (const age of ages) await addBuild(project.id, age)
    const deployed = await addBuild(project.id, 50, { status: 'succeeded', deployment_id: deployment })
    await addBuild(project.id, 51, { status: 'succeeded', deployment_id: 'dep_deleted' })
    const running = await addBuild(project.id, 60, { status: 'building', finished_at: null })
    const newest = [await addBuild(project.id, 1), await addBuild(project.id, 2)]
    const theirs = [await addBuild(other.id, 90), await addBuild(other.id, 91)]
    await remove(2)
    expect(await idsOf(project.id)).toEqual([...newest, deployed, running].sort())
    expect(await idsOf(other.id)).toEqual(theirs.sort())
    for (const id of [...newest, deployed, running, ...theirs]) expect(await logOf(id)).toBe('done\nmore\n')
    await remove(2)
    expect(await idsOf(project.id)).toHaveLength(4)
  })

  it('a build whose minutes still count stays, with a note in place of its log', async () => {
    const project = await addProject(store())
    const recent = await addBuild(project.id, 10)
    const newest = await addBuild(project.id, 1)
    await remove(1)
    await remove(1)
    expect(await idsOf(project.id)).toEqual([recent, newest].sort())
    expect(await logOf(recent)).toMatch(/^The log of this build is no longer kept: [^\n]*\n$/)
    expect(await logOf(newest)).toBe('done\nmore\n')
  })

  it('many old builds are removed in several steps', async () => {
    const project = await addProject(store())
    for (let i = 0; i < 120; i++) await addBuild(project.id, 100 + i / 1000)
    await remove(5)
    expect(await idsOf(project.id)).toHaveLength(5)
  })
})
