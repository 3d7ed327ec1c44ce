import { limits, rateLimits } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../lib/ids.ts'
import { type GitProject, gitProjectOfTest, occupyBuilder } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  /** Its branch `main` has a commit that no push built. */
  async function newProject() {
    const project = await gitProjectOfTest(server())
    await project.copy.commit({ 'index.html': 'by a hook' }, 'first [skip ci]')
    await project.push('main')
    return project
  }

  const addHook = async ({ path, owner }: GitProject, body: object = { name: 'CMS' }) =>
    (await send(server(), `POST ${path}/hooks`, owner, body)).json

  const pathOf = (hook: { url: string }) => new URL(hook.url).pathname as `/${string}`
  const trigger = (hook: { url: string }) => server().request(pathOf(hook), { method: 'POST' })

  describe('a deploy hook', () => {
    it('builds its branch for whoever posts to its URL, without a token', async () => {
      const project = await newProject()
      const hook = await addHook(project)
      expect(hook).toMatchObject({
        id: expect.stringMatching(/^hook_[a-z0-9]{16}$/),
        name: 'CMS',
        branch: 'main',
        created_by: project.owner.login,
        last_used_at: null,
        url: expect.stringMatching(/\/hooks\/deploy\/[\w-]{43}$/),
      })
      const called = await trigger(hook)
      expect(called.status).toBe(202)
      expect(called.json).toMatchObject({ branch: 'main', status: 'queued', queued: true })
      expect(called.headers['x-ratelimit-limit']).toBe(String(rateLimits.deployHook.limit))
      expect(await project.untilEnded(called.json.build_id)).toMatchObject({ status: 'succeeded' })
      expect((await server().site(project.name)).text).toBe('by a hook')
      const [listed] = (await send(server(), `GET ${project.path}/hooks`, project.owner)).json.hooks
      expect(listed).toMatchObject({ id: hook.id, last_used_at: expect.any(String) })
    })

    it('ignores the body of the request, whatever it is', async () => {
      const project = await newProject()
      const hook = await addHook(project)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const body of ['', '{broken', 'x'.repeat(2 * 1024 * 1024)]) {
        const called = await server().request(pathOf(hook), { method: 'POST', body, headers })
        expect(called.status).toBe(202)
      }
    })

    it('builds another branch as a preview', async () => {
      const project = await newProject()
      await project.push('main:next')
      const called = await trigger(await addHook(project, { name: 'next', branch: 'next' }))
      await project.untilEnded(called.json.build_id)
      expect((await server().site(`next--${project.name}`)).text).toBe('by a hook')
      expect((await server().site(project.name)).status).toBe(404)
    })

    it('queues one build for a burst of calls, and another one for a newer commit', async () => {
      const builder = await occupyBuilder(server())
      const project = await newProject()
      const hooks = [await addHook(project), await addHook(project)]
      const calls = await Promise.all([0, 1, 0, 1, 0, 1].map(which => trigger(hooks[which])))
      expect(calls.map(call => call.status)).toEqual(calls.map(() => 202))
      expect(new Set(calls.map(call => call.json.build_id)).size).toBe(1)
      expect(calls.filter(call => call.json.queued)).toHaveLength(1)
      await project.copy.commit({ 'index.html': 'newer' }, 'second [skip ci]')
      await project.push('main')
      const newer = await trigger(hooks[0])
      expect(newer.json.build_id).not.toBe(calls[0]!.json.build_id)
      const audit = (await send(server(), `GET ${project.path}/audit`, project.owner)).json.entries
      const queued = audit.filter((entry: { action: string }) => entry.action === 'build.queue')
      expect(queued).toHaveLength(2)
      expect(queued[0]).toMatchObject({ actor: null, target: 'main', details: { name: 'CMS' } })
      await builder.release()
      expect(await project.untilEnded(newer.json.build_id)).toMatchObject({ status: 'succeeded' })
    })

    it('builds nothing for GET and HEAD, so that link previews are harmless', async () => {
      const project = await newProject()
      const hook = await addHook(project)
      for (const method of ['GET', 'HEAD']) {
        const answer = await server().request(pathOf(hook), { method })
        expect(answer.status).toBe(405)
        expect(answer.headers.allow).toBe('POST')
      }
      expect((await server().request(pathOf(hook), { method: 'PUT' })).status).toBe(404)
      expect(await project.builds()).toEqual([])
    })

    it('stops working when it is revoked, and only then', async () => {
      const project = await newProject()
      const [kept, revoked] = [await addHook(project), await addHook(project)]
      const remove = `DELETE ${project.path}/hooks/${revoked.id}` as const
      expect((await send(server(), remove, project.owner)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), remove, project.owner))).toBe('404 not_found')
      expect(refusal(await trigger(revoked))).toBe('404 not_found')
      expect((await trigger(kept)).status).toBe(202)
    })

    it('says that its branch is gone, or that the repository is', async () => {
      const project = await newProject()
      const gone = await trigger(await addHook(project, { name: 'x', branch: 'nowhere' }))
      expect(refusal(gone)).toBe('409 not_buildable')
      expect(gone.json.error.message).toContain("no branch 'nowhere'")
      const hook = await addHook(project)
      await send(server(), `DELETE ${project.path}/repo`, project.owner)
      const disconnected = await trigger(hook)
      expect(refusal(disconnected)).toBe('409 not_buildable')
      expect(disconnected.json.error.message).toContain('no repository')
      expect(refusal(await send(server(), `POST ${project.path}/hooks`, project.owner, { name: 'x' }))).toBe(
        '404 not_found',
      )
    })

    it('goes with its project', async () => {
      const project = await newProject()
      const hook = await addHook(project)
      await send(server(), `DELETE ${project.path}`, project.owner)
      expect(refusal(await trigger(hook))).toBe('404 not_found')
    })

    it('leaves its secret in no row: the platform keeps a hash', async () => {
      const project = await newProject()
      const hook = await addHook(project)
      await trigger(hook)
      const secret = pathOf(hook).split('/').at(-1) ?? ''
      const listed = await send(server(), `GET ${project.path}/hooks`, project.owner)
      const audit = await send(server(), `GET ${project.path}/audit`, project.owner)
      const { db } = server().running.platform.store
      const rows = [
        await db.selectFrom('deploy_hooks').selectAll().execute(),
        await db.selectFrom('rate_limits').selectAll().execute(),
      ]
      const everything = listed.text + audit.text + JSON.stringify(rows)
      expect(everything).not.toContain(secret)
      expect(everything).toContain(sha256(secret))
    })

    it('is refused for a while when it is called too often, and says when to go on', async () => {
      const project = await newProject()
      const [hook, other] = [await addHook(project), await addHook(project)]
      for (let i = 0; i < rateLimits.deployHook.limit; i++) expect((await trigger(hook)).status).toBe(202)
      const refused = await trigger(hook)
      expect(refusal(refused)).toBe('429 rate_limit_exceeded')
      expect(refused.json.error.message).toMatch(/Try again in \d+ minute/)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expect((await trigger(other)).status).toBe(202)
    })
  })

  describe('deploy hooks of a project', () => {
    it.each([
      [{}, /^name/],
      [{ name: '   ' }, /^name/],
      [{ name: 'x'.repeat(limits.deployHookName + 1) }, /^name/],
      [{ name: 'x', branch: 'a..b' }, /branch/],
    ])('need a name and a branch that can exist: %j', async (body, message) => {
      const project = await newProject()
      const refused = await send(server(), `POST ${project.path}/hooks`, project.owner, body)
      expect(refusal(refused)).toBe('400 invalid_request')
      expect(refused.json.error.message).toMatch(message)
    })

    it('are at most so many', async () => {
      const project = await newProject()
      const made = await Promise.all(
        Array.from({ length: limits.deployHooks + 3 }, (_, i) =>
          send(server(), `POST ${project.path}/hooks`, project.owner, { name: `hook ${i}` }),
        ),
      )
      expect(made.filter(answer => answer.status === 201)).toHaveLength(limits.deployHooks)
      expect(made.filter(answer => answer.status === 400)).toHaveLength(3)
    })

    it('are seen, made and revoked by members of the org alone', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      await send(server(), 'POST /projects', team.member, { name, org: team.org })
      await send(server(), `POST /projects/${name}/repo`, team.member, { repo: `${team.org}/site` })
      const body = { name: 'CMS' }
      expect(refusal(await send(server(), `POST /projects/${name}/hooks`, team.outsider, body))).toBe(
        '404 not_found',
      )
      expect(refusal(await send(server(), `POST /projects/${name}/hooks`, undefined, body))).toBe(
        '401 unauthorized',
      )
      const made = await send(server(), `POST /projects/${name}/hooks`, team.member, body)
      expect(made.status).toBe(201)
      expect(refusal(await send(server(), `GET /projects/${name}/hooks`, team.outsider))).toBe(
        '404 not_found',
      )
      const remove = `DELETE /projects/${name}/hooks/${made.json.id}` as const
      expect(refusal(await send(server(), remove, team.outsider))).toBe('404 not_found')
      expect((await send(server(), remove, team.admin)).json).toEqual({ ok: true })
    })
  })
})

onEveryServer(server => {
  it('a network that calls unknown deploy hooks again and again is refused', async () => {
    const guess = (i: number) => send(server(), `POST /hooks/deploy/${'x'.repeat(40)}${i}`)
    for (let i = 0; i < rateLimits.deployHookFailures.limit; i++)
      expect(refusal(await guess(i))).toBe('404 not_found')
    expect(refusal(await guess(-1))).toBe('429 rate_limit_exceeded')
  })
})
