// The builds of all projects, in the operator area.
import { expect, it } from 'vitest'
import { platformAdmin } from '../testing/admins.ts'
import { newGitProject } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

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

  it('an unknown build cannot be cancelled', async () => {
    const admin = await platformAdmin(server())
    expect(refusal(await send(server(), 'POST /admin/builds/bld_nothing/cancel', admin))).toBe(
      '404 not_found',
    )
  })
})
