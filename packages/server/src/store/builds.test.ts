import { describe, expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import { addProject } from '../testing/rows.ts'
import { onEveryStore } from '../testing/stores.ts'
import { abandonedBuilds, claimBuild, insertBuild, leaveBuild, renewLease } from './builds.ts'
import type { BuildRow } from './tables.ts'

onEveryStore(store => {
  let now = 1_000

  async function queue(projectId: string, branch = 'main'): Promise<string> {
    const row: BuildRow = {
      ...{ id: newId('bld'), project_id: projectId, status: 'queued', branch, is_production: 1 },
      ...{ commit_sha: 'a'.repeat(40), commit_message: null, author: null, deployment_id: null },
      ...{ requested_by: null, created_at: ++now, started_at: null, finished_at: null, error: null },
      ...{ node_id: null, lease_until: null, attempts: 0, cancel_requested: 0, from_fork: 0 },
    }
    await store().transact(tx => insertBuild(tx, row))
    return row.id
  }

  const claim = () => claimBuild(store().db, { nodeId: 'node', now: ++now, leaseUntil: now + 100 })
  const end = (build: BuildRow) => leaveBuild(store().db, build, { status: 'succeeded', finished_at: ++now })

  describe('the queue of builds', () => {
    it('gives owners their turns, however many builds one of them has queued', async () => {
      const [busy, quiet] = [await addProject(store()), await addProject(store())]
      const many = [await queue(busy.id, 'a'), await queue(busy.id, 'b'), await queue(busy.id, 'c')]
      const one = await queue(quiet.id)
      const order: string[] = []
      for (let build = await claim(); build; build = await claim()) {
        order.push(build.id)
        await end(build)
      }
      expect(order).toEqual([many[0], one, many[1], many[2]])
    })

    it('builds one commit of a project at a time, and gives a build to one of many builders', async () => {
      const project = await addProject(store())
      const ids = [await queue(project.id, 'a'), await queue(project.id, 'b')]
      const taken = (await Promise.all(Array.from({ length: 8 }, claim))).filter(build => build !== undefined)
      expect(taken.map(build => build.id)).toEqual([ids[0]])
      await end(taken[0]!)
      expect((await claim())?.id).toBe(ids[1])
    })

    it('takes a build from a builder whose lease ran out, which can then end it no more', async () => {
      const project = await addProject(store())
      const id = await queue(project.id)
      const lost = await claim()
      now += 1_000
      const found = (await abandonedBuilds(store().db, { now })).filter(build => build.id === id)
      expect(found).toHaveLength(1)
      const again = { status: 'queued' as const, finished_at: null, error: null, attempts: 1 }
      expect(await leaveBuild(store().db, found[0]!, again)).toBe(true)
      expect(await leaveBuild(store().db, found[0]!, again)).toBe(false)
      const taken = await claim()
      expect(taken).toMatchObject({ id, attempts: 2 })
      expect(await end(lost!)).toBe(false)
      expect((await renewLease(store().db, lost!, now + 100)).isOurs).toBe(false)
      expect(await end(taken!)).toBe(true)
    })
  })
})
