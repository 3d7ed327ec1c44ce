import { describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { gitProjectOfTest, occupyBuilder } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  const newProject = (settings = {}) => gitProjectOfTest(server(), settings)

  describe('a build', () => {
    it('is started by hand, for any branch that there is', async () => {
      const { copy, push, path, owner, name, untilEnded } = await newProject()
      await copy.commit({ 'index.html': 'x' }, 'x [skip ci]')
      await push('main')
      const busy = await occupyBuilder(server())
      const made = await send(server(), `POST ${path}/builds`, owner, {})
      expect(made.status).toBe(201)
      expect(made.json).toMatchObject({ status: 'queued', branch: 'main', position: expect.any(Number) })
      await busy.release()
      expect(await untilEnded(made.json.id)).toMatchObject({ status: 'succeeded' })
      expect((await server().site(name)).text).toBe('x')
      const missing = await send(server(), `POST ${path}/builds`, owner, { branch: 'nowhere' })
      expect(refusal(missing)).toBe('400 invalid_request')
    })

    it('is cancelled with all that it started', async () => {
      const { copy, push, path, owner, builds, untilEnded, log } = await newProject()
      const scripts = { build: 'sleep 600 & echo begun; wait' }
      await copy.commit({ 'package.json': JSON.stringify({ name: 'x', scripts }) })
      const pushed = push('main')
      await eventually(async () => {
        const [build] = await builds()
        return build !== undefined && (await log(build.id)).includes('begun')
      })
      const [{ id }] = await builds()
      expect((await send(server(), `POST ${path}/builds/${id}/cancel`, owner)).json).toEqual({ ok: true })
      expect(await untilEnded(id)).toMatchObject({ status: 'cancelled', deployment_id: null })
      expect((await pushed).code).toBe(0)
      expect(refusal(await send(server(), `POST ${path}/builds/${id}/cancel`, owner))).toBe(
        '409 build_finished',
      )
    })

    it('is replaced in the queue by a newer commit of its branch', async () => {
      const builder = await occupyBuilder(server())
      const { copy, path, owner, builds, untilEnded, push, name } = await newProject()
      await copy.commit({ 'index.html': 'first' })
      const first = push('main')
      await eventually(async () => (await builds()).length === 1)
      await copy.commit({ 'index.html': 'second' })
      const second = push('main')
      await eventually(async () => (await builds()).length === 2)
      const [newer, older] = await builds()
      expect(older).toMatchObject({ status: 'cancelled', error: expect.stringContaining('newer commit') })
      expect(newer).toMatchObject({ status: 'queued', position: 1 })
      await builder.release()
      expect(await untilEnded(newer.id)).toMatchObject({ status: 'succeeded' })
      await Promise.all([first, second])
      expect((await server().site(name)).text).toBe('second')
      expect((await send(server(), `GET ${path}/builds?limit=1`, owner)).json.builds).toHaveLength(1)
      const found = async (query: string) =>
        (await send(server(), `GET ${path}/builds?${query}`, owner)).json.builds.map(
          (row: { id: string }) => row.id,
        )
      expect(await found('status=cancelled')).toEqual([older.id])
      expect(await found('status=succeeded&branch=main')).toEqual([newer.id])
      expect(await found('status=failed')).toEqual([])
      expect(await found('branch=other')).toEqual([])
      expect(refusal(await send(server(), `GET ${path}/builds?status=live`, owner))).toBe(
        '400 invalid_request',
      )
    })

    it('has a log that is read from any byte on', async () => {
      const { copy, push, builds, log, path, owner } = await newProject()
      await copy.commit({ 'index.html': 'ü' })
      await push('main')
      const [{ id }] = await builds()
      const whole = Buffer.from(await log(id))
      for (const offset of [0, 1, 10, whole.length - 1, whole.length, whole.length + 10]) {
        const { body } = await send(server(), `GET ${path}/builds/${id}/log?offset=${offset}`, owner)
        expect(body.equals(whole.subarray(offset))).toBe(true)
      }
    })

    it('has a log with the time of each line, if asked', async () => {
      const { copy, push, builds, log, path, owner } = await newProject()
      await copy.commit({ 'index.html': 'ü' })
      await push('main')
      const [{ id, created_at, finished_at }] = await builds()
      const lines = (await log(id)).trimEnd().split('\n')
      for (const [from, offset] of [0, Buffer.byteLength(`${lines[0]}\n`)].entries()) {
        const { body } = await send(
          server(),
          `GET ${path}/builds/${id}/log?offset=${offset}&timestamps=1`,
          owner,
        )
        const timed = String(body)
          .trimEnd()
          .split('\n')
          .map(line => line.split(/ (.*)/s))
        expect(timed.map(([, text]) => text)).toEqual(lines.slice(from))
        for (const [time = ''] of timed) {
          expect(Date.parse(time)).toBeGreaterThanOrEqual(Date.parse(created_at))
          expect(Date.parse(time)).toBeLessThanOrEqual(Date.parse(finished_at))
        }
      }
    })

    it('is seen and started by members of the org alone', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      await send(server(), 'POST /projects', team.member, { name, org: team.org })
      const body = { repo: `${team.org}/site` }
      expect(refusal(await send(server(), `POST /projects/${name}/repo`, team.outsider, body))).toBe(
        '404 not_found',
      )
      expect((await send(server(), `POST /projects/${name}/repo`, team.member, body)).status).toBe(200)
      const own = { repo: `${team.outsider.login}/site` }
      expect(refusal(await send(server(), `POST /projects/${name}/repo`, team.member, own))).toBe(
        '404 not_found',
      )
      expect(refusal(await send(server(), `GET /projects/${name}/builds`, team.outsider))).toBe(
        '404 not_found',
      )
      expect((await send(server(), `GET /projects/${name}/repo`, team.admin)).json.repo).toBe(body.repo)
      expect((await send(server(), `DELETE /projects/${name}/repo`, team.member)).json).toEqual({ ok: true })
      expect(refusal(await send(server(), `GET /projects/${name}/repo`, team.admin))).toBe('404 not_found')
    })
  })

  describe('a domain that tracks a branch', () => {
    it('shows production until the branch is built, then the branch, and production again when the branch is gone', async () => {
      const { copy, push, path, owner, untilEnded } = await newProject({ previews: false })
      const domain = `${freshName()}.example.com`
      const visit = async () => (await server().request('/', { host: domain })).text
      await copy.commit({ 'index.html': 'production' })
      await push('main')
      await copy.git('switch', '--quiet', '-c', 'next')
      await copy.commit({ 'index.html': 'next' })
      await push('next')
      const refused = await send(server(), `POST ${path}/domains`, owner, { domain, branch: 'main' })
      expect(refusal(refused)).toBe('400 invalid_branch')
      expect((await send(server(), `POST ${path}/domains`, owner, { domain })).json.build_id).toBeNull()
      expect(await visit()).toBe('production')
      const moved = await send(server(), `PUT ${path}/domains/${domain}`, owner, { branch: 'next' })
      expect(moved.json.build_id).toMatch(/^bld_/)
      const build = await untilEnded(moved.json.build_id)
      expect(await visit()).toBe('next')
      const pinned = await send(server(), `DELETE ${path}/deployments/${build.deployment_id}`, owner)
      expect(refusal(pinned)).toBe('409 deployment_pinned')
      await copy.commit({ 'index.html': 'next 2' })
      await push('next')
      expect(await visit()).toBe('next 2')
      await push('--delete', 'next')
      expect(await visit()).toBe('production')
      const missing = await send(server(), `PUT ${path}/domains/${domain}`, owner, { branch: 'nowhere' })
      expect(missing.json).toMatchObject({ branch: 'nowhere', build_id: null })
    })
  })

  describe('connecting', () => {
    it.each([
      [{ repo: 'site' }, /^repo: /],
      [{ repo: 'a/b/c' }, /^repo: /],
      [{ repo: '../x' }, /^repo: /],
      [{ repo: 'me/..' }, /^repo: /],
      [{ repo: 'me/x', branch: 'a..b' }, /branch/],
      [{ repo: 'me/x', root_dir: '../x' }, /^root_dir: /],
      [{ repo: 'me/x', output_dir: '/etc' }, /^output_dir: /],
    ])('is refused where it makes no sense: %j', async (body, message) => {
      const owner = await server().account()
      const name = freshName()
      await send(server(), 'POST /projects', owner, { name })
      const own = { ...body, repo: body.repo.replace('me', owner.login) }
      const answer = await send(server(), `POST /projects/${name}/repo`, owner, own)
      expect(refusal(answer)).toBe('400 invalid_request')
      expect(answer.json.error.message).toMatch(message)
    })

    it('a repository that has commits already builds them at once', async () => {
      const { copy, push, repo, owner } = await newProject()
      await copy.commit({ 'index.html': 'already there' })
      await push('main')
      const name = freshName()
      await send(server(), 'POST /projects', owner, { name })
      const { json } = await send(server(), `POST /projects/${name}/repo`, owner, { repo })
      expect(json.build_id).toMatch(/^bld_/)
      await eventually(async () => (await server().site(name)).text === 'already there')
    })
  })
})
