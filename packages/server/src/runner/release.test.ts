// The release command: runs once for each deploy of a server, before the deployment goes live.
import { describe, expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { BuiltProject } from '../testing/builds.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'

const released = (line: string): string => `?release=${encodeURIComponent(line)}`

onEveryServer(server => {
  const logOf = async ({ name, token }: Pick<TestApp, 'name' | 'token'>): Promise<string> =>
    (await server().request(`/projects/${name}/logs`, { token })).text

  describe('the release command of an upload', () => {
    it('runs once before the server goes live, with its files and variables, and not at later starts', async () => {
      const app = await TestApp.create(server())
      await app.put('COLOR', 'teal')
      const files = { ...procfileApp('one'), 'migrate.cjs': 'console.log("migrated", process.env.COLOR)' }
      const id = await app.deploy(files, released('node migrate.cjs && echo done twice'))
      expect(await app.ask(id)).toBe('one')
      const { deployments } = await app.detail()
      expect(deployments[0]).toMatchObject({ release_command: 'node migrate.cjs && echo done twice' })
      await app.sleep(id)
      expect(await app.ask(id)).toBe('one')
      await eventually(async () => (await logOf(app)).split('The app started').length === 3)
      const log = await logOf(app)
      expect(log).toContain('migrated teal')
      expect(log.split('done twice').length).toBe(2)
      expect(log.indexOf('migrated teal')).toBeLessThan(log.indexOf('The app started'))
    })

    it('fails the deployment with its last lines if it fails, and the live one stays', async () => {
      const app = await TestApp.create(server())
      const first = await app.deploy(procfileApp('good'))
      const answer = await app.upload(procfileApp('new'), released('echo no such table >&2; exit 7'))
      expect([answer.status, answer.json.error.code]).toEqual([422, 'deployment_failed'])
      expect(answer.json.error.message).toContain('The release command failed with code 7.')
      expect(answer.json.error.message).toContain('no such table')
      const { active_deployment_id, deployments } = await app.detail()
      expect(active_deployment_id).toBe(first)
      expect(deployments[0]).toMatchObject({ status: 'failed' })
      expect(await app.states(deployments[0]!.id)).toEqual(['failed'])
      expect(await logOf(app)).toContain('The release command failed with code 7.')
      expect(await app.ask(first)).toBe('good')
    })

    it('is not run for a static site, and a warning says so', async () => {
      const app = await TestApp.create(server())
      const answer = await app.upload({ 'index.html': 'hello' }, released('exit 1'))
      expect(answer.status).toBe(201)
      expect(answer.json.warnings).toEqual([expect.stringContaining('The release command was not run')])
    })

    it('may have a thousand characters', async () => {
      const app = await TestApp.create(server())
      const refused = await app.upload(procfileApp('one'), released(`echo ${'x'.repeat(1000)}`))
      expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_request'])
    })
  })

  describe('the release command in svc.json of a repository', () => {
    it('runs when a push is deployed, and fails its build if it fails', async () => {
      const project = await BuiltProject.make(server())
      const settings = (release: string) => ({ 'svc.json': JSON.stringify({ release }) })
      const good = await project.build({ ...procfileApp('pushed'), ...settings('echo all is migrated') })
      expect(good.build.status).toBe('succeeded')
      const bad = await project.build({ ...procfileApp('next'), ...settings('echo broken table; exit 2') })
      expect(bad.build.status).toBe('failed')
      expect(bad.log).toContain('The release command failed with code 2.')
      expect(bad.log).toContain('broken table')
    })
  })
})
