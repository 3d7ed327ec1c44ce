// Every kind of trouble reaches a real receiver of webhooks.
import { describe, expect, it, onTestFinished } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { eventually } from '../testing/eventually.ts'
import { newGitProject } from '../testing/git-project.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { addReceiver } from '../testing/webhook-receiver.ts'

const hour = 3_600_000

onEveryServer(
  server => {
    /** Crashes the app three times in a row. */
    async function crashAgainAndAgain(app: TestApp, id: string) {
      for (let crash = 1; crash <= 3; crash++) {
        await eventually(async () => (await app.states(id)).at(-1) === 'ready')
        await app.ask(id, '/crash?code=3').catch(() => undefined)
        await eventually(async () => (await app.states(id)).filter(s => s === 'crashed').length === crash)
        await eventually(async () => (await app.states(id)).length === crash + 1)
        server().clock.advance(20_000)
      }
      await eventually(async () => (await app.states(id)).at(-1) === 'ready')
    }

    const crashingApp = async () => {
      const app = await TestApp.create(server())
      const id = await app.deploy(procfileApp('brittle'))
      return { app, id, ...(await addReceiver(server(), app, app.name)) }
    }

    describe('a webhook is told of', () => {
      it('a build that fails, but not of one that succeeds or is cancelled', async () => {
        const { owner, name, copy, push, builds, path } = await newGitProject(server())
        onTestFinished(() => copy.remove())
        const { bodies } = await addReceiver(server(), owner, name)
        const build = (command: string) =>
          copy.commit({
            'index.html': 'x',
            'package.json': JSON.stringify({ name: 'x', scripts: { build: command } }),
          })
        await build('mkdir dist && cp index.html dist')
        expect((await push('main')).code).toBe(0)
        await build('sleep 600')
        const pushed = push('main')
        await eventually(async () => (await builds())[0]?.status === 'building')
        await send(server(), `POST ${path}/builds/${(await builds())[0].id}/cancel`, owner)
        await pushed
        const commit = await build('exit 7')
        await push('main')
        await eventually(async () => bodies().length > 0)
        const [{ id, error }] = await builds()
        expect(bodies()).toEqual([
          expect.objectContaining({ type: 'build.failed', project: name, subject: id, commit, error }),
        ])
        expect(error).toBeTruthy()
      })

      it('an app that crashes three times in a row, and when it has run for a minute', async () => {
        const { app, id, bodies } = await crashingApp()
        await crashAgainAndAgain(app, id)
        await eventually(async () => bodies().length === 1)
        expect(bodies()[0]).toMatchObject({ type: 'app.crashing', subject: id, crashes: 3 })
        expect(bodies()[0].error).toContain('exited with code 3')
        // The runner looks every 30 seconds.
        server().clock.advance(100_000)
        await eventually(async () => bodies().length === 2)
        expect(bodies()[1]).toMatchObject({ type: 'app.recovered', project: app.name, subject: id })
      })

      it('the end of a crash loop when another deployment replaces the app', async () => {
        const { app, id, bodies } = await crashingApp()
        await crashAgainAndAgain(app, id)
        await app.upload({ 'index.html': 'a static site' })
        server().clock.advance(31_000)
        await eventually(async () => bodies().length === 2)
        expect(bodies()[1]).toMatchObject({ type: 'app.recovered', subject: id })
        expect(bodies()[1].text).toContain('replaced')
      })

      it('an upload whose server died, but not of one by a build', async () => {
        const { owner, name, copy, push } = await newGitProject(server())
        onTestFinished(() => copy.remove())
        await copy.commit({ 'index.html': 'x' })
        await push('main')
        const { bodies } = await addReceiver(server(), owner, name)
        const { store } = server().running.platform
        const site = await store.db
          .selectFrom('deployments')
          .innerJoin('projects', 'projects.id', 'deployments.project_id')
          .selectAll('deployments')
          .where('projects.name', '=', name)
          .executeTakeFirstOrThrow()
        // Another node that died during two uploads leaves these rows behind.
        const left = { ...site, status: 'uploading', node_id: 'gone' } as const
        const ofUpload = { ...left, id: 'dep_upload0000000000', git_sha: null }
        const ofBuild = { ...left, id: 'dep_build00000000000' }
        await store.db.insertInto('deployments').values([ofUpload, ofBuild]).execute()
        server().clock.advance(4 * hour)
        await sweep(server().running.platform)
        await eventually(async () => bodies().length > 0)
        await sweep(server().running.platform)
        const { json } = await send(server(), `GET /projects/${name}/deployments?status=failed`, owner)
        expect(json.deployments).toHaveLength(2)
        expect(bodies()).toEqual([expect.objectContaining({ type: 'deploy.failed', subject: ofUpload.id })])
        expect(bodies()[0].error).toContain('Deploy again')
      })

      it('an app that does not start, with the last lines of the app only if its target asks for them', async () => {
        const app = await TestApp.create(server())
        const { all, target, bodies } = await addReceiver(server(), app, app.name)
        const broken = {
          Procfile: 'web: node app.cjs',
          'app.cjs': 'console.log("PASSWORD=hunter2"); process.exit(1)',
        }
        const fail = async () => expect(app.deploy(broken)).rejects.toThrow()
        await fail()
        await eventually(async () => bodies().length === 1)
        expect(bodies()[0]).toMatchObject({ type: 'deploy.failed', error: expect.stringMatching(/^[^\n]+$/) })
        expect(JSON.stringify(bodies())).not.toContain('hunter2')

        const changed = await send(server(), `PATCH ${all}/${target.id}`, app, { include_logs: true })
        expect([target.include_logs, changed.json.include_logs]).toEqual([false, true])
        await fail()
        await eventually(async () => bodies().length === 2)
        expect(bodies()[1].error).toContain('hunter2')
      })
    })
  },
  { SVCD_ALLOW_PRIVATE_TARGETS: '1' },
)
