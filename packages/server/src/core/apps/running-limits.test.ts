import { expect, it } from 'vitest'
import { openCatalog } from '../../compose/billing.ts'
import { newId } from '../../lib/ids.ts'
import { insertDeployment } from '../../store/deployments/uploads.ts'
import type { Store } from '../../store/store.ts'
import { addProject, deploymentRow } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import type { App } from '../base/apps.ts'
import { unlimited } from '../base/catalog.ts'
import { becomeReady, currentOf, type InstanceParts, requestInstance } from './instances.ts'

const noLimits = {
  ...{ projects: unlimited, orgs: unlimited, readyApps: 0, runningApps: unlimited },
  ...{ storedBytes: unlimited, bandwidthBytes: unlimited, buildMinutes: unlimited },
}

/** Past the time for which an app counts as in use. */
const later = 120_000

async function addApp(store: Store, projectId: string): Promise<App> {
  const id = newId('dep')
  const branch = { git_branch: id, branch_slug: id }
  const row = deploymentRow({ id, project_id: projectId, status: 'branch', kind: 'server', ...branch })
  await insertDeployment(store.db, row)
  return { projectId, deploymentId: id }
}

onEveryStore(store => {
  let now = 1_000
  const partsOf = (nodeId: string, perNode = 100): InstanceParts => ({
    store: store(),
    clock: { now: () => now },
    nodeId,
    runsApps: true,
    bounds: {
      plans: {
        billing: 'sandbox',
        defaultLimits: noLimits,
        catalog: openCatalog({ plansFile: undefined }),
        clock: { now: () => now, timeout: AbortSignal.timeout },
      },
      perNode,
    },
  })

  async function start(parts: InstanceParts, app: App): Promise<void> {
    now++
    expect(await requestInstance(parts, app)).toBe('asked')
    const { starting } = await currentOf(parts, app.deploymentId)
    await becomeReady(parts, starting!, { host: '127.0.0.1', port: 1 })
  }
  const isReady = async (parts: InstanceParts, app: App) =>
    (await currentOf(parts, app.deploymentId)).ready !== undefined

  it('a start stops the least recently used app of an owner who has as many as the plan allows', async () => {
    const parts = partsOf(newId('ins'))
    const { id } = await addProject(store())
    const apps: App[] = []
    for (let i = 0; i < 11; i++) {
      apps.push(await addApp(store(), id))
      await start(parts, apps[i]!)
    }
    const ready = await Promise.all(apps.map(app => isReady(parts, app)))
    expect(ready).toEqual([false, ...Array<boolean>(10).fill(true)])
    const other = await addApp(store(), (await addProject(store())).id)
    await start(parts, other)
    expect(await isReady(parts, apps[1]!)).toBe(true)
  })

  it('a start needs no room for the successor of an app that runs', async () => {
    const parts = partsOf(newId('ins'))
    const { id } = await addProject(store())
    const apps: App[] = []
    for (let i = 0; i < 10; i++) {
      apps.push(await addApp(store(), id))
      await start(parts, apps[i]!)
    }
    expect(await requestInstance(parts, apps[9]!)).toBe('asked')
    expect(await isReady(parts, apps[0]!)).toBe(true)
  })

  it('a start waits while all apps of the owner are starting', async () => {
    const parts = partsOf(newId('ins'))
    const { id } = await addProject(store())
    for (let i = 0; i < 10; i++) expect(await requestInstance(parts, await addApp(store(), id))).toBe('asked')
    expect(await requestInstance(parts, await addApp(store(), id))).toBe('full')
  })

  it('on a full machine, a start stops an app of any owner that is not in use, and no other', async () => {
    const parts = partsOf(newId('ins'), 2)
    const apps: App[] = []
    for (let i = 0; i < 3; i++) apps.push(await addApp(store(), (await addProject(store())).id))
    await start(parts, apps[0]!)
    await start(parts, apps[1]!)
    expect(await requestInstance(parts, apps[2]!)).toBe('full')
    now += later
    await start(parts, apps[2]!)
    expect(await isReady(parts, apps[0]!)).toBe(false)
    expect(await isReady(parts, apps[1]!)).toBe(true)
  })
})
