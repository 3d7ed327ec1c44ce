// The edge's side of server apps, with a test that writes the rows in the runner's place.
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { findActive } from '../../store/apps/instances.ts'
import { insertDeployment } from '../../store/deployments/uploads.ts'
import type { Store } from '../../store/store.ts'
import { eventually } from '../../testing/eventually.ts'
import { addProject, deploymentRow } from '../../testing/rows.ts'
import { TestClock } from '../../testing/server.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { type App, DidNotStart, noApps } from '../base/apps.ts'
import { AppDirectory, type DirectorySettings } from './directory.ts'
import { becomeReady, currentOf, endInstance, type Instance, retireIdle } from './instances.ts'

const open: AppDirectory[] = []
afterEach(() => {
  for (const directory of open.splice(0)) directory.close()
})

onEveryStore(store => {
  const clock = new TestClock()
  const parts = (nodeId = 'node', runsApps = true) => ({
    ...{ store: store(), clock, nodeId, runsApps },
    connect: noApps.connect,
  })

  function directory(settings: Partial<DirectorySettings> = {}, of = parts()): AppDirectory {
    const all = { startTimeoutMs: 60_000, waitingAtMost: 100, idleMs: 300_000, ...settings }
    const made = new AppDirectory(of, all, error => expect.unreachable(String(error)))
    open.push(made)
    return made
  }

  /** The start that somebody asked for. */
  async function asked({ deploymentId }: App): Promise<Instance> {
    let row: Instance | undefined
    await eventually(async () => {
      const { rows } = await findActive(store().db, deploymentId)
      row = rows.find(({ state }) => state === 'starting')
      return row !== undefined
    })
    return row!
  }

  const ready = (row: Instance, port: number) => becomeReady(parts(), row, { host: '127.0.0.1', port })

  it('the directory asks for one start, however many want to reach the app', async () => {
    const app = await newApp(store())
    const all = Promise.all(Array.from({ length: 10 }, () => directory().ensureRunning(app)))
    await ready(await asked(app), 4001)
    expect(new Set((await all).map(({ port }) => port))).toEqual(new Set([4001]))
  })

  it('the directory gives out another address as soon as another instance has taken over', async () => {
    const app = await newApp(store())
    const apps = directory()
    const first = apps.ensureRunning(app)
    await ready(await asked(app), 4001)
    expect((await first).port).toBe(4001)
    expect((await apps.ensureRunning(app)).port).toBe(4001)
    const { ready: row } = await currentOf(parts(), app.deploymentId)
    clock.advance(301_000)
    expect(await retireIdle(parts(), row!, 300_000)).toBe(true)
    const second = apps.ensureRunning(app)
    await ready(await asked(app), 4002)
    expect((await second).port).toBe(4002)
  })

  it('the directory tells those who deploy that the platform stops, and why one that was up for a moment ended', async () => {
    const app = await newApp(store())
    const apps = directory()
    // Expected from the beginning: it may reject before the end of the instance is known here.
    const first = expect(apps.start(app)).rejects.toMatchObject({ details: 'no database' })
    await endInstance(parts(), await asked(app), 'crashed', 'no database')
    await first
    const second = apps.start(app)
    apps.stopStarts()
    await expect(second).rejects.toThrow('The platform stopped')
    await expect(apps.start(app)).rejects.toThrow('The platform stopped')
  })

  it('the directory lets any number of deploys wait at the same time, without a warning of a leak', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const apps = directory()
    const starts = Array.from({ length: 12 }, () =>
      apps.start({ projectId: 'prj_none', deploymentId: newId('dep') }),
    )
    await Promise.allSettled(starts)
    // Warnings are told in the next turn of the loop.
    await new Promise(resolve => setImmediate(resolve))
    expect(warnings).toEqual([])
  })

  it('the directory tells all who wait that it did not start, and asks anew for the next', async () => {
    const app = await newApp(store())
    const apps = directory()
    const both = Promise.allSettled([apps.ensureRunning(app), apps.ensureRunning(app)])
    await endInstance(parts(), await asked(app), 'failed', 'no database')
    for (const outcome of await both) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', details: 'no database' },
      })
      // Visitors are not told what the log holds.
      expect(String((outcome as PromiseRejectedResult).reason.message)).not.toContain('database')
    }
    const next = apps.ensureRunning(app)
    await ready(await asked(app), 4003)
    expect((await next).port).toBe(4003)
  })

  it('the directory tells that an app did not start, however quickly that was', async () => {
    const app = await newApp(store())
    const { transact } = store()
    let starts = 0
    const failsAtOnce: Store['transact'] = async work => {
      const result = await transact(work)
      const { rows } = await findActive(store().db, app.deploymentId)
      if (rows[0]) starts++
      if (rows[0]) await endInstance(parts(), rows[0], 'failed', 'no database')
      return result
    }
    const apps = directory({}, { ...parts(), store: { ...store(), transact: failsAtOnce } })
    await expect(apps.ensureRunning(app)).rejects.toMatchObject({ details: 'no database' })
    expect(starts).toBe(1)
  })

  it('the directory refuses those who come when too many wait', async () => {
    const app = await newApp(store())
    const apps = directory({ waitingAtMost: 2 })
    const waiting = [apps.ensureRunning(app), apps.ensureRunning(app)]
    await expect(apps.ensureRunning(app)).rejects.toThrow('Too many requests wait')
    await ready(await asked(app), 4004)
    await Promise.all(waiting)
  })

  it('a request waits no longer than the timeout of the directory, or its own', async () => {
    const app = await newApp(store())
    await expect(directory({ startTimeoutMs: 10 }).ensureRunning(app)).rejects.toThrow(DidNotStart)
    const left = new AbortController()
    const reached = directory().ensureRunning(app, left.signal)
    left.abort(new Error('the visitor left'))
    await expect(reached).rejects.toThrow('the visitor left')
    await endInstance(parts(), await asked(app), 'failed')
  })

  it('the directory does not give an address out again that nobody listens on', async () => {
    const app = await newApp(store())
    const apps = directory()
    const first = apps.ensureRunning(app)
    await ready(await asked(app), 4005)
    apps.markUnreachable(app.deploymentId, await first)
    clock.advance(2_000)
    const second = apps.ensureRunning(app)
    await ready(await asked(app), 4006)
    expect((await second).port).toBe(4006)
  })

  it('the directory lets a crash that visitors noticed first count for the next start', async () => {
    const app = await newApp(store())
    const apps = directory()
    const first = apps.ensureRunning(app)
    const row = await asked(app)
    await ready(row, 4005)
    apps.markUnreachable(app.deploymentId, await first)
    const second = apps.ensureRunning(app)
    await endInstance(parts(), row, 'crashed')
    const next = await asked(app)
    expect(next.crashes).toBe(1)
    await ready(next, 4006)
    expect((await second).port).toBe(4006)
  })

  it('the directory never gives out the address of another machine', async () => {
    const app = await newApp(store())
    const first = directory().ensureRunning(app)
    await ready(await asked(app), 4007)
    await first
    await expect(directory({}, parts('edge', false)).ensureRunning(app)).rejects.toThrow(DidNotStart)
    const there = directory({}, parts('other')).ensureRunning(app)
    const row = await asked(app)
    expect(row.node_id).toBe('other')
    await becomeReady(parts('other'), row, { host: '127.0.0.1', port: 4008 })
    expect((await there).port).toBe(4008)
    expect((await directory().ensureRunning(app)).port).toBe(4007)
  })

  it('in a swarm, a node that runs no apps takes the address of another machine', async () => {
    const app = await newApp(store())
    const edge = { ...parts('edge', false), reachesOthers: 'directly' as const }
    const first = directory({}, parts()).ensureRunning(app)
    await ready(await asked(app), 4009)
    await first
    expect((await directory({}, edge).ensureRunning(app)).port).toBe(4009)
    // A node that runs apps starts its own instance, and stops it when its visitors are gone.
    const runner = { ...parts('other'), reachesOthers: 'directly' as const }
    const there = directory({}, runner).ensureRunning(app)
    const row = await asked(app)
    expect(row.node_id).toBe('other')
    await becomeReady(parts('other'), row, { host: '127.0.0.1', port: 4010 })
    expect((await there).port).toBe(4010)
  })

  it('the directory says that a deployment is gone', async () => {
    const app = { projectId: newId('prj'), deploymentId: newId('dep') }
    const error = await directory()
      .ensureRunning(app)
      .catch(error => error)
    expect(error).toBeInstanceOf(Fault)
    expect(error.code).toBe('not_found')
  })

  it('the directory notes that requests are under way, also those that began before there was an instance', async () => {
    const app = await newApp(store())
    const apps = directory()
    const done = apps.markBusy(app.deploymentId)
    const reached = apps.ensureRunning(app)
    await ready(await asked(app), 4009)
    await reached
    const { ready: row } = await currentOf(parts(), app.deploymentId)
    clock.advance(100_000)
    await eventually(async () => {
      const { ready: now } = await currentOf(parts(), app.deploymentId)
      return now!.used_at > row!.used_at + 90_000
    })
    done()
  })
})

async function newApp(store: Store): Promise<App> {
  const { id: projectId } = await addProject(store)
  const server = { kind: 'server', framework: 'procfile', start_command: '["node"]' } as const
  const row = deploymentRow({ project_id: projectId, status: 'live', ...server })
  await insertDeployment(store.db, row)
  return { projectId, deploymentId: row.id }
}
