import { describe, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { gitProjectOfTest, occupyBuilder } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

onEveryServer(server => {
  /** A project whose commits `one` and `two` were pushed; `two` is live. */
  async function twoPushes() {
    const project = await gitProjectOfTest(server())
    const { copy, push, builds, path, owner, name } = project
    const publish = async (text: string) => {
      await copy.commit({ 'index.html': text })
      const pushed = await push('main')
      const [{ deployment_id, commit_sha, id }] = await builds()
      return { deployment: deployment_id as string, sha: commit_sha as string, build: id as string, pushed }
    }
    const one = await publish('one')
    const two = await publish('two')
    const activate = (id: string) => send(server(), `POST ${path}/deployments/${id}/activate`, owner)
    const shown = async () => (await server().site(name)).text
    const detail = async () => (await send(server(), `GET ${path}`, owner)).json
    return { ...project, publish, one, two, activate, shown, detail }
  }

  describe('production after a rollback', () => {
    it('stays as it is at a push, which says so, until someone unlocks it', async () => {
      const { publish, one, activate, shown, detail, path, owner, name } = await twoPushes()
      expect((await detail()).production_lock).toBeNull()
      expect((await activate(one.deployment)).json).toEqual({
        ok: true,
        active_deployment_id: one.deployment,
      })
      expect((await detail()).production_lock).toEqual({ at: expect.any(String), by: owner.login })
      const three = await publish('three')
      expect(three.pushed.stderr).toContain('production is locked since a rollback')
      expect(three.pushed.stderr).toContain(`svc git unlock --project ${name}`)
      expect(three.pushed.stderr).toContain('Not live: http')
      expect(await shown()).toBe('one')
      const built = (await send(server(), `GET ${path}/deployments/${three.deployment}`, owner)).json
      expect(built).toMatchObject({
        status: 'superseded',
        is_active: false,
        warnings: [expect.stringContaining(`svc rollback ${three.deployment}`)],
      })
      expect((await server().site(`${three.deployment.replace('_', '-')}--${name}`)).text).toBe('three')
      expect((await send(server(), `DELETE ${path}/production-lock`, owner)).json).toEqual({ ok: true })
      expect((await send(server(), `DELETE ${path}/production-lock`, owner)).json).toEqual({ ok: true })
      expect(await shown()).toBe('one')
      expect((await publish('four')).pushed.stderr).toContain('Live: http')
      expect(await shown()).toBe('four')
    })

    it('stays as it is also at the end of a build that began before the rollback', async () => {
      const { copy, push, one, activate, shown, builds, untilEnded } = await twoPushes()
      const busy = await occupyBuilder(server())
      await copy.commit({ 'index.html': 'three' })
      const pushed = push('main')
      await eventually(async () => (await builds())[0].status === 'queued')
      await activate(one.deployment)
      await busy.release()
      await pushed
      const [{ id }] = await builds()
      expect(await untilEnded(id)).toMatchObject({ status: 'succeeded' })
      expect(await shown()).toBe('one')
    })

    it('is unlocked when the newest deployment is made live, and locked by going back further', async () => {
      const { publish, one, two, activate, shown, detail } = await twoPushes()
      await activate(one.deployment)
      const three = await publish('three')
      await activate(two.deployment)
      expect((await detail()).production_lock).not.toBeNull()
      await activate(three.deployment)
      expect((await detail()).production_lock).toBeNull()
      expect(await shown()).toBe('three')
    })

    it('changes all the same when a person deploys or builds', async () => {
      const { one, two, activate, shown, detail, path, owner, name, untilEnded } = await twoPushes()
      await activate(one.deployment)
      const upload = await server().upload(owner.token, name, archiveOf({ 'index.html': 'by hand' }))
      expect(upload.json.warnings).toEqual([expect.stringContaining('svc git unlock')])
      expect(await shown()).toBe('by hand')
      const rebuilt = await send(server(), `POST ${path}/builds/${two.build}/rebuild`, owner)
      await untilEnded(rebuilt.json.id)
      expect(await shown()).toBe('two')
      expect((await detail()).production_lock).not.toBeNull()
    })

    it('is not locked if the project has no repository', async () => {
      const owner = await server().account()
      const name = freshName()
      await send(server(), 'POST /projects', owner, { name })
      const upload = async (text: string) =>
        (await server().upload(owner.token, name, archiveOf({ 'index.html': text }))).json
      const { deployment_id } = await upload('one')
      await upload('two')
      await send(server(), `POST /projects/${name}/deployments/${deployment_id}/activate`, owner)
      expect((await send(server(), `GET /projects/${name}`, owner)).json.production_lock).toBeNull()
    })

    it('is locked by hand, too', async () => {
      const { publish, shown, path, owner } = await twoPushes()
      expect((await send(server(), `PUT ${path}/production-lock`, owner)).json).toEqual({ ok: true })
      await publish('three')
      expect(await shown()).toBe('two')
    })
  })

  describe('a chosen commit', () => {
    it('is built again for the branch that it was built for, by a part of its SHA', async () => {
      const { one, shown, path, owner, untilEnded } = await twoPushes()
      const commit = one.sha.slice(0, 10)
      const made = await send(server(), `POST ${path}/builds`, owner, { commit })
      expect(made.json).toMatchObject({ branch: 'main', commit_sha: one.sha })
      await untilEnded(made.json.id)
      expect(await shown()).toBe('one')
    })

    it('that was not built before needs a branch', async () => {
      const { copy, push, path, owner, untilEnded, name } = await twoPushes()
      await copy.commit({ 'index.html': 'skipped' }, 'x [skip ci]')
      await push('main')
      const commit = (await copy.git('rev-parse', 'HEAD')).stdout.trim()
      const refused = await send(server(), `POST ${path}/builds`, owner, { commit })
      expect(refusal(refused)).toBe('400 invalid_request')
      expect(refused.json.error.message).toContain(`svc git build --commit ${commit} --branch main`)
      const made = await send(server(), `POST ${path}/builds`, owner, { commit, branch: 'trial' })
      await untilEnded(made.json.id)
      expect((await server().site(`trial--${name}`)).text).toBe('skipped')
    })

    it('that does not exist is refused, and so is what is no SHA', async () => {
      const { path, owner } = await twoPushes()
      for (const commit of ['0123456789', 'main', '--all', 'ABCDEF01', 'a'.repeat(65)])
        expect(refusal(await send(server(), `POST ${path}/builds`, owner, { commit }))).toBe(
          '400 invalid_request',
        )
    })

    it('leaves builds of other commits in the queue', async () => {
      const { copy, push, one, shown, path, owner, builds } = await twoPushes()
      const busy = await occupyBuilder(server())
      await copy.commit({ 'index.html': 'three' })
      const pushed = push('main')
      await eventually(async () => (await builds())[0].status === 'queued')
      const { json } = await send(server(), `POST ${path}/builds/${one.build}/rebuild`, owner)
      expect((await builds()).map(({ status }: { status: string }) => status)).toEqual([
        ...['queued', 'queued', 'succeeded', 'succeeded'],
      ])
      await send(server(), `POST ${path}/builds/${json.id}/cancel`, owner)
      await busy.release()
      await pushed
      expect(await shown()).toBe('three')
    })
  })
})
