// One project as it was at a time: by the name that it had then or has now, and what is said if there is no such backup.
import { cp, readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../testing/databases.ts'
import { freshPostgres } from '../../testing/postgres.ts'
import { at, call, deploy, type Env, svcd, useDirectory, whileServing } from '../backup/testbed.ts'

useDirectory()

describe.each(databases())('a platform on %s', engine => {
  test('exports a project as it was at a time, also one that was renamed or deleted since', async () => {
    const database = engine === 'postgres' ? await freshPostgres() : undefined
    onTestFinished(() => database?.drop())
    const data = `then-${engine}`
    const env: Env = {
      SVCD_BACKUP_URL: at(`backups-${engine}`),
      SVCD_BACKUP_PASSPHRASE: 'correct horse battery',
      SVCD_BACKUP_SCHEDULE: 'off',
      ...(database && { SVCD_DATABASE_URL: database.url }),
    }
    const exported = (name: string, time: string, file = 'nothing.tar') =>
      svcd(data, ['export', 'project', name, at(`${engine}-${file}`), '--at', time], env)
    /** Makes a backup. Returns a time after it and before the next one. */
    const backup = async (): Promise<string> => {
      const { code, stdout } = await svcd(data, ['backup', 'run'], env)
      expect(code).toBe(0)
      expect(stdout).toContain('Made the backup')
      // The ids of backups have whole seconds.
      await sleep(1_100)
      const time = new Date().toISOString()
      await sleep(1_100)
      return time
    }
    expect(await svcd(data, ['migrate'], env)).toMatchObject({ code: 0 })
    const token = (await svcd(data, ['users', 'create', 'ada', '--token'], env)).stdout.trim()
    const json = { token, type: 'application/json' }
    const create = (port: number, name: string) =>
      call(port, '/projects', { ...json, method: 'POST', body: JSON.stringify({ name }) })

    const before = new Date(Date.now() - 60_000).toISOString()
    expect((await exported('blog', before)).stderr).toContain('There are no backups at')
    await whileServing(
      data,
      async port => {
        for (const name of ['blog', 'shop']) {
          await create(port, name)
          await deploy(port, token, name, `the first ${name}`)
        }
        const first = await backup()
        const renamed = { ...json, method: 'POST', body: '{"name":"journal"}' }
        expect((await call(port, '/projects/blog/rename', renamed)).status).toBe(200)
        expect((await call(port, '/projects/shop', { token, method: 'DELETE' })).status).toBe(200)
        await create(port, 'shop')
        await deploy(port, token, 'journal', 'the second page')
        await deploy(port, token, 'shop', 'another shop')
        await create(port, 'late')
        await cp(at(`backups-${engine}`), at(`first-${engine}`), { recursive: true })
        const second = await backup()
        // Of the backups of one hour only the newest stays. Those of other days would both be there.
        await cp(at(`first-${engine}`), at(`backups-${engine}`), { recursive: true, force: false })

        const early = await exported('blog', before)
        expect([early.code, early.stderr]).toEqual([
          1,
          expect.stringMatching(/There is no backup from before .* The oldest one is \d{8}_/),
        ])
        expect((await exported('late', first)).stderr).toMatch(
          /There is no project 'late' in the backup of .*Z\. Name an earlier or a later one, or the name that the project had then/,
        )
        const cases = [
          ['blog', first, 'the first blog', ''],
          ['journal', first, 'the first blog', 'svcd: journal had the name blog when this backup was made ('],
          ['blog', second, 'the second page', 'svcd: blog had the name journal when this backup was made ('],
          ['shop', first, 'the first shop', 'svcd: shop was another project when this backup was made ('],
          ['shop', second, 'another shop', ''],
        ] as const
        for (const [i, [name, time, page, words]] of cases.entries()) {
          const { code, stderr } = await exported(name, time, `${i}.tar`)
          expect([name, time, code]).toEqual([name, time, 0])
          expect(stderr.startsWith(words) && (words !== '' || stderr === '')).toBe(true)
          const file = at(`${engine}-${i}.tar`)
          const taken = await svcd(
            data,
            ['import', 'project', file, '--owner', 'ada', '--name', `then-${i}`],
            env,
          )
          expect([taken.code, taken.stderr]).toEqual([0, ''])
          expect((await call(port, '/', { host: `then-${i}.localhost` })).text).toBe(page)
        }
      },
      env,
    )
    // Nothing is left of what was unpacked, or of an export that was refused.
    expect((await readdir(at(data))).filter(name => name.includes('export'))).toEqual([])
    expect(await readdir(at())).not.toContain(`${engine}-nothing.tar`)
  })
})
