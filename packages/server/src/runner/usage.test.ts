import { expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { onEveryServer } from '../testing/server.ts'
import { UsageMeter } from './usage.ts'

onEveryServer(server => {
  it('the state of a running app has its memory, and its share of a core from the second measurement on', async () => {
    const app = await TestApp.create(server())
    const deployment = await app.deploy(procfileApp('one'))
    const { store, clock } = server().running.platform
    const { id, project_id: projectId } = await store.db
      .selectFrom('app_instances')
      .select(['id', 'project_id'])
      .where('deployment_id', '=', deployment)
      .executeTakeFirstOrThrow()
    let cpuSeconds = 1
    const measured = new Map([[id, { projectId, usage: async () => ({ memoryBytes: 64e6, cpuSeconds }) }]])
    const meter = new UsageMeter({ store, clock, charts: { addUse: () => undefined } }, error =>
      expect(error).toBeUndefined(),
    )
    await meter.measure(measured)
    expect((await app.detail()).app?.usage).toEqual({ memory_bytes: 64e6, cpu_cores: null })
    cpuSeconds = 2
    await meter.measure(measured)
    const { usage } = (await app.detail()).app ?? {}
    expect(usage?.cpu_cores).toBeGreaterThan(0)
    // Processes that ended took their CPU time with them.
    cpuSeconds = 0
    await meter.measure(measured)
    expect((await app.detail()).app?.usage?.cpu_cores).toBe(0)
  })
})
