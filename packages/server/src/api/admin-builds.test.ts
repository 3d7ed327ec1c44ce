// The builds of all projects, in the operator area.
import { expect, it } from 'vitest'
import { insertBuild } from '../store/builds/builds.ts'
import { platformAdmin } from '../testing/admins.ts'
import { newGitProject } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

onEveryServer(server => {
  it("a platform admin sees and cancels a build of somebody else's project, whose log says so", async () => {
    const admin = await platformAdmin(server())
    const { owner, name, copy, path, push, untilEnded } = await newGitProject(server(), {
      ...{ install_cmd: 'true', build_cmd: 'sleep 600' },
    })
    await copy.commit({ 'package.json': '{}' }, 'first [skip ci]')
    await push('main')
    const { id } = (await send(server(), `POST ${path}/builds`, owner, {})).json
    const { builds } = (await send(server(), 'GET /admin/builds', admin)).json
    expect(builds.find((build: { id: string }) => build.id === id)).toMatchObject({
      ...{ project: name, branch: 'main', status: expect.stringMatching(/queued|building/), error: null },
    })
    expect((await send(server(), `POST /admin/builds/${id}/cancel`, admin)).json).toEqual({ ok: true })
    expect(await untilEnded(id)).toMatchObject({ status: 'cancelled' })
    expect(refusal(await send(server(), `POST /admin/builds/${id}/cancel`, admin))).toBe('409 build_finished')
    const { entries } = (await send(server(), `GET ${path}/audit`, owner)).json
    expect(entries[0]).toMatchObject({ actor: admin.login, action: 'build.cancel', target: id })
    await copy.remove()
  })

  it('all builds that wait, run or failed lately are listed, newest first, however many there are', async () => {
    const admin = await platformAdmin(server())
    const project = (await send(server(), 'POST /projects', admin, { name: freshName() })).json
    const at = server().clock.now() + 1000
    const nobody = { author: null, deployment_id: null, requested_by: null, node_id: null, lease_until: null }
    const failed = { ...nobody, status: 'failed', error: 'No.', attempts: 1, cancel_requested: 0 } as const
    const from = {
      project_id: project.id,
      branch: 'main',
      is_production: 1,
      from_fork: 0,
      asked_for: 0,
      retries: 0,
      retry_at: null,
    }
    const rows = Array.from({ length: 105 }, (_, i) => ({
      ...{ ...failed, ...from, id: `bld_page${i}`, commit_sha: 'a'.repeat(40), commit_message: null },
      ...{ created_at: at + i, started_at: at + i, finished_at: at + i },
    }))
    await server().running.platform.store.transact(async tx => {
      for (const row of rows) await insertBuild(tx, row)
    })
    const seen: string[] = []
    let cursor = ''
    do {
      const { json } = await send(server(), `GET /admin/builds?limit=100${cursor}`, admin)
      seen.push(...json.builds.map((build: { id: string }) => build.id))
      cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`
    } while (cursor !== '')
    expect(seen.slice(0, 105)).toEqual(rows.map(({ id }) => id).reverse())
  })

  it('an unknown build cannot be cancelled', async () => {
    const admin = await platformAdmin(server())
    expect(refusal(await send(server(), 'POST /admin/builds/bld_nothing/cancel', admin))).toBe(
      '404 not_found',
    )
  })
})
