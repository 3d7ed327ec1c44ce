import { describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { newGitProject } from '../testing/git-project.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  /** Runs a build, then changes its row to what a killed builder would have left behind. */
  async function abandoned(
    row: (built: { deployment_id: string }) => Record<string, number | string | null>,
  ) {
    const project = await newGitProject(server())
    await project.copy.commit({ 'index.html': 'x' })
    await project.push('main')
    const [build] = await project.builds()
    const { store } = server().running.platform
    const left = { status: 'building' as const, node_id: 'gone', finished_at: null }
    const { db } = store
    const rows = db.updateTable('builds').where('id', '=', build.id)
    await rows.set({ ...left, attempts: 1, ...row(build) }).execute()
    // The builder that ended the build may still remember it, and then renews the lease that it had.
    await eventually(async () => {
      await rows.set({ lease_until: 1 }).where('node_id', '=', 'gone').execute()
      await store.transact(async (_tx, changed) => changed({ topic: 'build', key: build.id }))
      const { node_id } = await db
        .selectFrom('builds')
        .select('node_id')
        .where('id', '=', build.id)
        .executeTakeFirstOrThrow()
      return node_id !== 'gone'
    })
    const end = await project.untilEnded(build.id)
    const { deployments } = (await send(server(), `GET ${project.path}`, project.owner)).json
    await project.copy.remove()
    return { end, deployments: deployments.length }
  }

  describe('a build whose builder was killed', () => {
    it('has succeeded if its deployment is online, and is not built again', async () => {
      const { end, deployments } = await abandoned(({ deployment_id }) => ({ deployment_id }))
      expect(end).toMatchObject({ status: 'succeeded', error: null })
      expect(deployments).toBe(1)
    })

    it('is built again', async () => {
      const { end, deployments } = await abandoned(() => ({ deployment_id: null }))
      expect(end).toMatchObject({ status: 'succeeded', error: null })
      expect(deployments).toBe(2)
    })

    it('is built again once, and then fails with a message', async () => {
      const { end, deployments } = await abandoned(() => ({ deployment_id: null, attempts: 2 }))
      expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('stopped twice') })
      expect(deployments).toBe(1)
    })

    it('is not built again if it was cancelled', async () => {
      const words = 'Ada cancelled it.'
      const row = { deployment_id: null, cancel_requested: 1, error: words }
      const { end, deployments } = await abandoned(() => row)
      expect(end).toMatchObject({ status: 'cancelled', error: words })
      expect(deployments).toBe(1)
    })
  })
})
