// `svcd upgrade` with real releases while visitors ask without a pause: not one request fails, and after a release that does not
// work the version before it serves again, with everything that it had.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Releases } from './releases.ts'
import { startUpgradable } from './upgradable.ts'

const createTable = 'await db.schema.createTable("doctored").addColumn("id", "text").execute()'

describe('svcd upgrade', () => {
  const releases = new Releases()
  const made = { good: '', failing: '', broken: '', deaf: '', slow: '' }

  beforeAll(async () => {
    await releases.make()
    made.good = await releases.doctored('9.0.1', { migration: createTable })
    made.failing = await releases.doctored('9.0.2', {
      migration: `${createTable}; throw new Error("The doctored migration fails.")`,
    })
    made.broken = await releases.doctored('9.0.3', {
      program: 'if (process.argv[2] === "start") throw new Error("The doctored version is broken.")',
    })
    // It migrates the database, and then never takes a connection.
    made.deaf = await releases.doctored('9.0.4', {
      migration: createTable,
      program: 'import net from "node:net"; net.Server.prototype.listen = function () { return this }',
    })
    // It never gets so far that it asks for the place of the one that runs.
    made.slow = await releases.doctored('9.0.5', {
      program: 'if (process.argv[2] === "start") await new Promise(() => setInterval(() => {}, 60_000))',
    })
  })
  afterAll(() => releases.remove())

  const startPlatform = (environment?: Record<string, string>) => startUpgradable(releases, environment)

  test.each(['sqlite', 'postgres'])(
    'installs a release that works, and goes back from those that do not (%s)',
    async engine => {
      const database = engine === 'postgres' ? await freshPostgres() : undefined
      onTestFinished(() => database?.drop())
      const platform = await startPlatform(database ? { SVCD_DATABASE_URL: database.url } : {})
      const { command, create, version, projects, current, load, svcd } = platform

      const sums = path.join(path.dirname(made.good), 'SHA256SUMS')
      const right = readFileSync(sums, 'utf8')
      writeFileSync(
        sums,
        right.replace(/^./, digit => (digit === '0' ? '1' : '0')),
      )
      const damaged = await command('upgrade', made.good)
      writeFileSync(sums, right)
      expect(damaged).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not what SHA256SUMS says'),
      })
      expect([await version(), current()]).toEqual([releases.version, releases.version])

      const broken = await command('upgrade', made.broken)
      expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('9.0.3 could not start') })
      await create('before')

      const failing = await command('upgrade', made.failing)
      expect(failing).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`9.0.2 did not become healthy. svcd ${releases.version} runs again`),
      })
      expect(svcd.stderr.join('\n')).toContain(
        'The migration 900_doctored failed, and the database is as before: The doctored migration fails.',
      )
      expect([await version(), current()]).toEqual([releases.version, releases.version])
      expect(await projects()).toEqual(['before', 'shop'])
      await load.more(20)

      const good = await command('upgrade', made.good)
      expect([good.code, good.stderr]).toEqual([0, expect.stringContaining('the checksum is right')])
      expect(good.stdout).toContain('svcd 9.0.1 runs.')
      expect([await version(), current()]).toEqual(['9.0.1', '9.0.1'])
      expect(svcd.stderr.filter(line => line.includes('migrated the database')).at(-1)).toContain(
        '900_doctored',
      )
      expect(existsSync(path.join(platform.machine.dataDir, 'upgrade/before.db'))).toBe(engine === 'sqlite')
      await create('after')
      expect(await projects()).toEqual(['after', 'before', 'shop'])
      await load.more(20)
      await load.stop()
      expect(load.failed).toEqual([])

      expect((await command('upgrade', made.good)).stderr).toContain('9.0.1 is installed already')
      expect((await command('upgrade', releases.present)).stderr).toContain('is older than this one (9.0.1)')
      expect((await command('upgrade', '9.9.9')).stderr).toContain('or set SVCD_RELEASES_URL')
    },
  )

  test('goes back from a release that migrates and then never becomes healthy, to the database from before', async () => {
    const { command, create, version, projects, current, load, machine } = await startPlatform({
      SVCD_REPLACE_SECONDS: '20',
    })
    await create('before')
    const { code, stderr } = await command('upgrade', made.deaf)
    expect([code, stderr]).toEqual([1, expect.stringContaining('runs again, with the database from before')])
    expect([await version(), current()]).toEqual([releases.version, releases.version])
    await create('after')
    expect(await projects()).toEqual(['after', 'before', 'shop'])
    await load.more(20)
    await load.stop()
    expect(load.failed).toEqual([])
    // What the release made of the database is kept for a look.
    expect(existsSync(path.join(machine.dataDir, 'upgrade/failed.db'))).toBe(true)
  })

  test('one at a time; and one that is killed half way blocks nothing, and doctor and --version say what runs', async () => {
    const { command, begin, version, current, svcd } = await startPlatform({ SVCD_REPLACE_SECONDS: '20' })
    const lineOf = async () =>
      (await command('doctor')).stdout.split('\n').find(line => line.includes('  version: '))
    expect(await lineOf()).toBe(`ok    version: ${releases.version} runs, and is installed`)
    const first = begin('upgrade', made.slow)
    const ended = once(first, 'exit')
    await eventually(async () => current() === '9.0.5')
    const second = await command('upgrade', made.good)
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining("Another 'svcd upgrade' is under way"),
    ])
    first.kill('SIGKILL')
    await ended

    const both = `svcd ${releases.version} runs, but 9.0.5 is installed: an upgrade was cut off`
    const said = await command('--version')
    expect(said).toMatchObject({ code: 0, stdout: '9.0.5\n' })
    expect(said.stderr).toContain(both)
    expect(said.stderr).toContain("Run 'svcd upgrade' with the release of 9.0.5 again")
    expect(await lineOf()).toContain(`FAIL  version: ${both}`)

    // The svcd that runs gives up what the killed command began.
    await eventually(async () => svcd.stderr.some(line => line.includes('takes too long to start')))
    const good = await command('upgrade', made.good)
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('svcd 9.0.1 runs.')])
    expect([await version(), current()]).toEqual(['9.0.1', '9.0.1'])
    expect(await command('--version')).toEqual({ code: 0, stdout: '9.0.1\n', stderr: '' })
    expect(await lineOf()).toBe('ok    version: 9.0.1 runs, and is installed')
  })
})
