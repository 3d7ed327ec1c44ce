// The seed command: runs once for the database and the disk of each branch, after the release command.
import { describe, expect, it } from 'vitest'
import { procfileApp, TestApp } from '../testing/apps.ts'
import { BuiltProject } from '../testing/builds.ts'
import { withDatabases } from '../testing/databases-of-apps.ts'
import { onEveryServer } from '../testing/server.ts'

const commands = (branch: string, seed: string, release = 'true'): string =>
  `?${new URLSearchParams({ seed, release, ...(branch && { branch }) })}`

onEveryServer(server => {
  const times = (log: string, line: string): number => log.split(line).length - 1

  /** Also of a preview, whose log the API does not show. */
  async function logOf(app: TestApp, deployment?: string): Promise<string> {
    const { id: projectId } = await app.detail()
    const keep = ({ deploymentId }: { deploymentId: string }) => !deployment || deploymentId === deployment
    const lines = await server().running.platform.logs.read({ projectId, keep, tail: 1000, bytes: 1e6 })
    return lines.map(({ text }) => text).join('\n')
  }

  describe('the seed command', () => {
    it('runs once for the database of each preview, after the release command, and never for production', async () => {
      const app = await TestApp.create(server())
      const target = `/projects/${app.name}/database`
      await server().request(target, { method: 'POST', token: app.token, body: {} })
      const deploy = (branch: string) =>
        app.deploy(procfileApp('one'), commands(branch, 'echo seeds $PGUSER', 'echo migrates $PGUSER'))
      const live = await deploy('')
      const { PGUSER: production } = JSON.parse(await app.ask(live, '/env'))
      const first = await deploy('topic')
      const { PGUSER: own } = JSON.parse(await app.ask(first, '/env'))
      const second = await deploy('topic')
      const other = await deploy('other')
      expect(await app.ask(second)).toBe('one')
      const log = await logOf(app, first)
      expect(log.indexOf(`migrates ${own}`)).toBeGreaterThan(-1)
      expect(log.indexOf(`seeds ${own}`)).toBeGreaterThan(log.indexOf(`migrates ${own}`))
      expect(log).toContain('The seed command succeeded in')
      expect(await logOf(app, second)).not.toContain('seeds svc_')
      expect(await logOf(app, other)).toContain('seeds svc_')
      expect(await logOf(app, live)).not.toContain('seeds svc_')
      expect(await logOf(app)).not.toContain(`seeds ${production}`)
    })

    it('runs again with the next deployment if it failed, which fails the deployment', async () => {
      const app = await TestApp.create(server())
      await server().request(`/projects/${app.name}/disk`, { method: 'PUT', token: app.token, body: {} })
      await app.deploy(procfileApp('live'))
      const seed = 'echo row >> $SVC_DISK/rows; test -e $SVC_DISK/other || { touch $SVC_DISK/other; exit 3; }'
      const failed = await app.upload(procfileApp('one'), commands('topic', seed))
      expect([failed.status, failed.json.error.message]).toEqual([
        422,
        expect.stringContaining('The seed command failed with code 3.'),
      ])
      const lines = 'echo "rows: $(grep -c row $SVC_DISK/rows)"'
      const id = await app.deploy(procfileApp('one'), commands('topic', `${seed}; ${lines}`))
      expect(await logOf(app, id)).toContain('rows: 2')
      const next = await app.deploy(procfileApp('one'), commands('topic', seed, lines))
      expect(times(await logOf(app, next), 'rows: 2')).toBe(1)
    })

    it('is in svc.json of a repository, and does not run for a preview without data', async () => {
      const project = await BuiltProject.make(server())
      const settings = { 'svc.json': JSON.stringify({ seed: 'exit 1' }) }
      const built = await project.build({ ...procfileApp('pushed'), ...settings })
      expect(built.build.status).toBe('succeeded')
      const tooLong = { 'svc.json': JSON.stringify({ seed: 'x'.repeat(1001) }) }
      const refused = await project.build({ ...procfileApp('pushed'), ...tooLong })
      expect(refused.log).toContain('"seed" in svc.json is longer than 1000 characters')
    })
  })
}, withDatabases)
