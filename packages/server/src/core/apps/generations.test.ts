// Which instances a change of variables restarts, with a test that writes the rows in the runner's place.
import { expect, it } from 'vitest'
import { catchUp, listOutdated } from '../../store/apps/generations.ts'
import { findActive } from '../../store/apps/instances.ts'
import { insertDeployment } from '../../store/deployments/uploads.ts'
import { addProject, deploymentRow } from '../../testing/rows.ts'
import { TestClock } from '../../testing/server.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { restartApps } from '../base/app-restarts.ts'
import { becomeReady, type Instance, requestInstance } from './instances.ts'

onEveryStore(store => {
  const parts = () => ({ store: store(), clock: new TestClock(), nodeId: 'node', runsApps: true })

  async function newProject() {
    const { id: project_id } = await addProject(store())
    const addApp = async (git_branch: string) => {
      const row = deploymentRow({ project_id, kind: 'server', git_branch })
      await insertDeployment(store().db, row)
      return { projectId: project_id, deploymentId: row.id }
    }
    const change = (branch: string) =>
      store().transact((tx, changed) =>
        restartApps(tx, changed, project_id, [{ environment: 'preview', branch }]),
      )
    const isOutdated = async ({ id }: Instance) =>
      (await listOutdated(store().db, 'node')).rows.some(row => row.id === id)
    return { id: project_id, addApp, change, isOutdated }
  }

  async function start(app: { projectId: string; deploymentId: string }): Promise<Instance> {
    expect(await requestInstance(parts(), app)).toBe('asked')
    const { rows } = await findActive(store().db, app.deploymentId)
    return rows.find(({ state }) => state === 'starting')!
  }
  const serve = (row: Instance) => becomeReady(parts(), row, { host: '127.0.0.1', port: 4001 })
  const readVariables = (row: Instance) => catchUp(store().db, row.id, row.project_id)

  it('an app that has read its variables before they change is restarted, even if it still starts', async () => {
    const project = await newProject()
    const row = await start(await project.addApp('next'))
    await readVariables(row)
    expect(await project.change('next')).toBe(true)
    await serve(row)
    expect(await project.isOutdated(row)).toBe(true)
  })

  it('an app that reads its variables after they changed is not restarted for that', async () => {
    const project = await newProject()
    const row = await start(await project.addApp('next'))
    await project.change('next')
    await readVariables(row)
    await serve(row)
    expect(await project.isOutdated(row)).toBe(false)
  })

  it('an app that starts while the variables of another branch change is not restarted', async () => {
    const project = await newProject()
    const [next, other] = [await project.addApp('next'), await project.addApp('other')]
    const former = await start(next)
    await readVariables(former)
    await serve(former)
    await start(other)
    await project.change('next')
    const row = await start(next)
    expect(await project.change('other')).toBe(true)
    await readVariables(row)
    expect(await project.change('other')).toBe(true)
    await serve(row)
    expect(await project.isOutdated(row)).toBe(false)
  })
})
