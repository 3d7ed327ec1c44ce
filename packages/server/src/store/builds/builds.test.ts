import { describe, expect, it } from 'vitest'
import { addAccount, addProject, buildRow } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import type { BuildRow } from '../tables.ts'
import {
  abandonedBuilds,
  cancelBuilds,
  findBuild,
  insertBuild,
  leaveBuild,
  notePublished,
  renewLease,
} from './builds.ts'
import { claimBuild, positionsInQueue } from './queue.ts'

onEveryStore(store => {
  let now = 1_000

  async function queue(projectId: string, branch = 'main'): Promise<string> {
    const [id = ''] = await queueAll(projectId, [branch])
    return id
  }

  async function queueAll(projectId: string, branches: readonly string[]): Promise<string[]> {
    const rows = branches.map(branch => buildRow({ project_id: projectId, branch, created_at: ++now }))
    await store().transact(async tx => {
      for (const row of rows) await insertBuild(tx, row)
    })
    return rows.map(row => row.id)
  }

  const claim = () => claimBuild(store().db, { nodeId: 'node', now: ++now, leaseUntil: now + 100 })
  const end = (build: BuildRow) => leaveBuild(store().db, build, { status: 'succeeded', finished_at: ++now })

  /** Takes and ends builds as long as there are some, and answers in which order. */
  async function drain(atMost = 100): Promise<string[]> {
    const order: string[] = []
    while (order.length < atMost) {
      const build = await claim()
      if (!build) break
      order.push(build.id)
      await end(build)
    }
    return order
  }

  describe('the queue of builds', () => {
    it('gives owners their turns, however many builds one of them has queued', async () => {
      const [busy, quiet] = [await addProject(store()), await addProject(store())]
      const many = [await queue(busy.id, 'a'), await queue(busy.id, 'b'), await queue(busy.id, 'c')]
      const one = await queue(quiet.id)
      expect(await drain()).toEqual([many[0], one, many[1], many[2]])
    })

    it('gives the projects of one owner their turns', async () => {
      const owner = await addAccount(store())
      const busy = await addProject(store(), undefined, owner)
      const quiet = await addProject(store(), undefined, owner)
      const many = [await queue(busy.id, 'a'), await queue(busy.id, 'b'), await queue(busy.id, 'c')]
      const one = await queue(quiet.id)
      expect(await drain()).toEqual([many[0], one, many[1], many[2]])
    })

    it('shows for 1,000 builds of 50 projects the places in which they are taken, and cancels those of a project', async () => {
      const owners: string[] = []
      for (let i = 0; i < 10; i++) owners.push(await addAccount(store()))
      // The first owner has most of the projects, and queues first.
      const ownerOf = (project: number) => Math.max(0, project - 40)
      const branches = Array.from({ length: 20 }, (_, n) => `branch-${n}`)
      const projects: string[] = []
      const owned = new Map<string, number>()
      for (let i = 0; i < 50; i++) {
        projects.push((await addProject(store(), undefined, owners[ownerOf(i)])).id)
        for (const id of await queueAll(projects[i]!, branches)) owned.set(id, ownerOf(i))
      }
      const places = await positionsInQueue(store().db, [...owned.keys()], now)
      const expected = [...places].sort(([, a], [, b]) => a - b).map(([id]) => id)
      expect([...places.values()].sort((a, b) => a - b)).toEqual([...owned.keys()].map((_, i) => i + 1))
      const order = await drain(30)
      expect(order).toEqual(expected.slice(0, 30))
      for (const round of [0, 10, 20])
        expect(new Set(order.slice(round, round + 10).map(id => owned.get(id))).size).toBe(10)
      const end = { now, error: 'Nobody wants them.' }
      const cancelled = await store().transact(async tx => {
        const ended: string[] = []
        for (const projectId of projects) ended.push(...(await cancelBuilds(tx, { projectId }, end)))
        return ended
      })
      expect(cancelled).toHaveLength(970)
      expect(await claim()).toBeUndefined()
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

    it('of a cancel and a publication, lets exactly the first one happen', async () => {
      const project = await addProject(store())
      const published = await queue(project.id).then(claim)
      const end = { now, error: 'Somebody cancelled it.' }
      const cancel = (id: string) => store().transact(tx => cancelBuilds(tx, { id }, end))
      const publish = (build: BuildRow) => store().transact(tx => notePublished(tx, build, 'dep_1'))
      expect(await publish(published!)).toBe(true)
      expect(await cancel(published!.id)).toEqual([])
      await leaveBuild(store().db, published!, { status: 'succeeded', finished_at: ++now })
      const cancelled = await queue(project.id).then(claim)
      expect(await cancel(cancelled!.id)).toEqual([cancelled!.id])
      expect(await publish(cancelled!)).toBe(false)
      await leaveBuild(store().db, cancelled!, { status: 'cancelled', finished_at: ++now })
      expect(await findBuild(store().db, cancelled!.id)).toMatchObject({
        status: 'cancelled',
        error: end.error,
        deployment_id: null,
      })
    })

    it('lets no builder publish a build that another one has taken up', async () => {
      const project = await addProject(store())
      await queue(project.id)
      const lost = await claim()
      await leaveBuild(store().db, lost!, { status: 'queued', finished_at: null })
      const taken = await claim()
      expect(taken).toMatchObject({ id: lost!.id, attempts: 2 })
      const publish = (build: BuildRow) => store().transact(tx => notePublished(tx, build, 'dep_1'))
      expect(await publish(lost!)).toBe(false)
      expect(await publish(taken!)).toBe(true)
      await end(taken!)
    })

    it('gives every one of many queued builds to exactly one of the builders, the owners in turns', async () => {
      const owners = await Promise.all(Array.from({ length: 4 }, () => addProject(store())))
      const ids: string[] = []
      for (const owner of owners) for (let i = 0; i < 25; i++) ids.push(await queue(owner.id, `branch-${i}`))
      const order: BuildRow[] = []
      const work = async () => {
        for (let build = await claim(); build; build = await claim()) {
          order.push(build)
          await end(build)
        }
      }
      // A builder finds nothing while each project has one under way, so one of them goes on to the end.
      await Promise.all([work(), work(), work()])
      await work()
      expect(order.map(build => build.id).sort()).toEqual([...ids].sort())
      const early = new Set(order.slice(0, 20).map(build => build.project_id))
      expect(early.size).toBe(owners.length)
    })
  })
})
