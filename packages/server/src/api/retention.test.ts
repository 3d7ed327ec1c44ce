import { describe, expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { archiveOf } from '../testing/archives.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person } from '../testing/team.ts'

const day = 86_400_000

onEveryServer(server => {
  async function newProject(org?: string, owner?: Person) {
    const person = owner ?? (await server().account())
    const name = freshName()
    await send(server(), 'POST /projects', person, { name, ...(org && { org }) })
    const path = `/projects/${name}` as const
    const archive = archiveOf({ 'index.html': 'hello' })
    return {
      name,
      path,
      person,
      async deploy(branch?: string): Promise<string> {
        server().clock.advance(1_000)
        const query = branch === undefined ? '' : `?branch=${branch}`
        return (await server().upload(person.token, name, archive, query)).json.deployment_id
      },
      keep: (retention: object, options: object = {}, who: { token: string } = person) =>
        send(server(), `PATCH ${path}`, who, { retention, ...options }),
      kept: async (): Promise<string[]> =>
        (await send(server(), `GET ${path}`, person)).json.deployments.map(({ id }: { id: string }) => id),
    }
  }
  const runSweep = () => sweep(server().running.platform)

  describe('the retention of a project', () => {
    it('keeps everything until it is set, and is shown with the project', async () => {
      const project = await newProject()
      const shown = async () => (await send(server(), `GET ${project.path}`, project.person)).json.retention
      expect(await shown()).toEqual({ production_count: null, preview_days: null })
      const saved = await project.keep({ production_count: 5 })
      const expected = { production_count: 5, preview_days: null }
      expect([saved.status, saved.json]).toEqual([
        200,
        { retention: expected, deletes: { deployments: 0, bytes: 0 } },
      ])
      await project.keep({ preview_days: 30 })
      expect(await shown()).toEqual({ production_count: 5, preview_days: 30 })
      await project.keep({ production_count: null })
      expect(await shown()).toEqual({ production_count: null, preview_days: 30 })
    })

    it('says what it deletes before it is saved, then deletes the oldest and their files', async () => {
      const project = await newProject()
      const [first, second, third, live] = [
        await project.deploy(),
        await project.deploy(),
        await project.deploy(),
        await project.deploy(),
      ]
      const dry = await project.keep({ production_count: 1 }, { dry_run: true })
      expect(dry.json).toEqual({
        retention: { production_count: 1, preview_days: null },
        deletes: { deployments: 2, bytes: 10 },
      })
      await runSweep()
      expect(await project.kept()).toEqual([live, third, second, first])

      expect((await project.keep({ production_count: 1 })).json.deletes).toEqual(dry.json.deletes)
      await runSweep()
      expect(await project.kept()).toEqual([live, third])
      expect((await server().site(`${first.replace('_', '-')}--${project.name}`)).status).toBe(404)
      expect((await server().site(project.name)).text).toBe('hello')
      const { packs } = server().running.platform
      expect(await packs.open(first)).toBeUndefined()
      await runSweep()
      expect(await project.kept()).toEqual([live, third])
      const { json } = await send(server(), `GET ${project.path}/audit`, project.person)
      const { entries }: { entries: { action: string; target: string; [field: string]: unknown }[] } = json
      const deleted = entries.filter(({ action }) => action === 'deployment.delete')
      expect(deleted.map(({ target }) => target).toSorted()).toEqual([first, second].toSorted())
      for (const entry of deleted)
        expect(entry).toMatchObject({ actor: null, details: { reason: 'retention' } })
      expect(entries.find(({ action }) => action === 'project.retention')).toMatchObject({
        actor: project.person.login,
        details: { production_count: 1, preview_days: null },
      })
    })

    it('never deletes the live deployment, even if a rollback made it the oldest', async () => {
      const project = await newProject()
      const [oldest] = [await project.deploy(), await project.deploy()]
      const newest = await project.deploy()
      await send(server(), `POST ${project.path}/deployments/${oldest}/activate`, project.person)
      await project.keep({ production_count: 1 })
      await runSweep()
      expect(await project.kept()).toEqual([newest, oldest])
    })

    it('deletes previews that are too old, but none that a domain shows', async () => {
      const project = await newProject()
      const live = await project.deploy()
      const [old, pinned] = [await project.deploy('old'), await project.deploy('staging')]
      const domain = `${freshName()}.example.com`
      await send(server(), `POST ${project.path}/domains`, project.person, { domain, branch: 'staging' })
      server().clock.advance(7 * day)
      const young = await project.deploy('young')
      expect((await project.keep({ preview_days: 7 })).json.deletes).toEqual({ deployments: 1, bytes: 5 })
      await runSweep()
      expect(await project.kept()).toEqual([young, pinned, live])
      expect(await project.kept()).not.toContain(old)
    })

    it('deletes no deployment whose server app has not ended', async () => {
      const project = await newProject()
      const first = await project.deploy()
      const live = await project.deploy()
      const { db } = server().running.platform.store
      const { project_id } = await db
        .selectFrom('deployments')
        .select('project_id')
        .where('id', '=', first)
        .executeTakeFirstOrThrow()
      const now = server().clock.now()
      const id = freshName()
      const place = { node_id: 'another-node', host: '127.0.0.1', port: 1, app_port: 1 }
      await db
        .insertInto('app_instances')
        .values({
          ...{ id, project_id, deployment_id: first, state: 'ready', outcome: null, error: null, ...place },
          ...{ generation: 0, crashes: 0, not_before: now, created_at: now, used_at: now, ready_at: now },
          ...{ draining_at: null, ended_at: null, memory_bytes: null, cpu_millicores: null },
          ...{ disk_id: null, takes_disk: 0 },
        })
        .execute()
      const third = await project.deploy()
      await project.keep({ production_count: 1 })
      await runSweep()
      expect(await project.kept()).toEqual([third, live, first])
      await db.updateTable('app_instances').set({ state: 'ended' }).where('id', '=', id).execute()
      await runSweep()
      expect(await project.kept()).toEqual([third, live])
    })

    it('touches no other project', async () => {
      const [one, other] = [await newProject(), await newProject()]
      for (const project of [one, other]) for (let i = 0; i < 3; i++) await project.deploy()
      await one.keep({ production_count: 1, preview_days: 1 })
      await runSweep()
      expect([(await one.kept()).length, (await other.kept()).length]).toEqual([2, 3])
    })

    it.each([
      { production_count: 0 },
      { production_count: 1001 },
      { production_count: 1.5 },
      { production_count: '5' },
      { preview_days: 0 },
      { preview_days: 3651 },
      { preview_days: -1 },
    ])('refuses %j, and saves nothing', async retention => {
      const project = await newProject()
      expect(refusal(await project.keep(retention))).toBe('400 invalid_request')
      expect((await send(server(), `GET ${project.path}`, project.person)).json.retention).toEqual({
        production_count: null,
        preview_days: null,
      })
    })

    it('in an org is set by admins, not by members', async () => {
      const team = await makeTeam(server())
      const project = await newProject(team.org, team.member)
      expect(refusal(await project.keep({ preview_days: 30 }, {}, team.member))).toBe('403 forbidden')
      expect(refusal(await project.keep({ preview_days: 30 }, {}, team.outsider))).toBe('404 not_found')
      expect((await project.keep({ preview_days: 30 }, {}, team.admin)).status).toBe(200)
    })
  })
})
