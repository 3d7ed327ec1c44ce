// Back to a time with `svcd db restore`, from the archive that svcd keeps of its own PostgreSQL.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import pg from 'pg'
import { expect, it } from 'vitest'
import { canDump, withDatabases } from '../../testing/databases-of-apps.ts'
import { eventually } from '../../testing/eventually.ts'
import { at, call, killedAt, svcd, useDirectory, whileServing } from '../backup/testbed.ts'

useDirectory()

async function query(data: string, database: string, statement: string) {
  const password = readFileSync(at(data, 'postgresql', 'password'), 'utf8')
  const client = new pg.Client({ host: at(data, 'postgresql', 'socket'), user: 'svcd', password, database })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const nameOf = async (port: number, token: string): Promise<string> =>
  JSON.parse((await call(port, '/projects/blog/database', { token })).text).database.name

/** A platform with an archive, and a database whose table `notes` has the rows `one` and `two`. */
async function newPlatform(data: string) {
  const folder = at(`${data}-archive`)
  mkdirSync(folder)
  const env = { ...withDatabases, SVCD_APPS_POSTGRES_ARCHIVE: folder }
  await svcd(data, ['migrate'], env)
  const token = (await svcd(data, ['users', 'create', 'ada', '--token'], env)).stdout.trim()
  const filesOf = (kind: string) =>
    readdirSync(folder).flatMap(id =>
      existsSync(`${folder}/${id}/${kind}`)
        ? readdirSync(`${folder}/${id}/${kind}`).map(it => `${folder}/${id}/${kind}/${it}`)
        : [],
    )
  const bases = () => filesOf('base').filter(file => file.endsWith('.tar.gz'))
  const segments = () => filesOf('log').filter(file => file.endsWith('.gz'))
  return {
    ...{ data, env, token, folder, bases, segments },
    async fill(port: number): Promise<string> {
      const json = { token, type: 'application/json', method: 'POST' }
      await call(port, '/projects', { ...json, body: '{"name":"blog"}' })
      await call(port, '/projects/blog/database', { ...json, body: '{}' })
      const name = await nameOf(port, token)
      // The first copy of the cluster is made while the rows are written.
      await query(
        data,
        name,
        `set role ${name}; create table notes (note text); insert into notes values ('one')`,
      )
      await eventually(async () => bases().length > 0)
      await query(data, name, "insert into notes values ('two')")
      return name
    },
    restore: (...args: string[]) => svcd(data, ['db', 'restore', 'blog', ...args], env),
    notes: async (name: string) =>
      (await query(data, name, 'select note from notes order by 1')).map(row => row.note),
    now: async () => ((await query(data, 'postgres', 'select now() as now'))[0]!.now as Date).toISOString(),
  }
}

it.runIf(canDump)(
  'rows that were lost come back as of the second before, and nothing else is lost (needs pg_dump)',
  async () => {
    const platform = await newPlatform('lost')
    const { data, env, token } = platform
    await whileServing(
      data,
      async port => {
        const name = await platform.fill(port)
        const before = await platform.now()
        await query(data, name, "delete from notes; insert into notes values ('three')")

        const early = await platform.restore('--at', '2020-01-01T00:00:00Z')
        expect([early.code, early.stderr]).toEqual([
          1,
          expect.stringContaining('had no database at that time'),
        ])
        const late = await platform.restore('--at', '2999-01-01T00:00:00Z')
        expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('in the future')])
        for (const wrong of ['yesterday', '2026-01-01', '2026-13-01T00:00:00Z', "2026-01-01T00:00:00Z' --"])
          expect((await platform.restore('--at', wrong)).code).toBe(1)

        const aside = await platform.restore('--at', before, '--to', at('aside.dump'))
        expect([aside.code, aside.stderr]).toEqual([0, expect.stringContaining('Wrote')])
        expect(readFileSync(at('aside.dump')).subarray(0, 5).toString()).toBe('PGDMP')
        expect(await platform.notes(name)).toEqual(['three'])

        const done = await platform.restore('--at', before)
        expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('is as it was')])
        const restored = await nameOf(port, token)
        expect(restored).not.toBe(name)
        expect(await platform.notes(restored)).toEqual(['one', 'two'])
        // The restore itself can be undone, also by going back to a time before it.
        const again = await platform.restore('--at', await platform.now())
        expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('is as it was')])
        expect(await platform.notes(await nameOf(port, token))).toEqual(['one', 'two'])
        expect(existsSync(at(data, 'postgresql', 'recovery'))).toBe(false)
      },
      env,
    )
  },
)

it.runIf(canDump)(
  'a recovery that is killed leaves nothing running, and the next one succeeds (needs pg_dump)',
  async () => {
    const platform = await newPlatform('killed')
    const { data, env, token } = platform
    await whileServing(
      data,
      async port => {
        const name = await platform.fill(port)
        const before = await platform.now()
        await query(data, name, 'delete from notes')
        const pidFile = at(data, 'postgresql', 'recovery', 'cluster', 'postmaster.pid')
        const args = ['db', 'restore', 'blog', '--at', before]
        await killedAt(data, args, env, () => eventually(async () => existsSync(pidFile)))
        const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
        expect(await platform.notes(name)).toEqual([])
        expect((await platform.restore('--at', before)).code).toBe(0)
        expect(() => process.kill(pid, 0)).toThrow()
        expect(await platform.notes(await nameOf(port, token))).toEqual(['one', 'two'])
        await killedAt(data, args, env, () => eventually(async () => existsSync(pidFile)))
      },
      env,
    )
    const left = Number(
      readFileSync(at(data, 'postgresql', 'recovery', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
    )
    // The next start of svcd removes it, too.
    await whileServing(
      data,
      async () => expect(existsSync(at(data, 'postgresql', 'recovery'))).toBe(false),
      env,
    )
    expect(() => process.kill(left, 0)).toThrow()
  },
)

it.runIf(canDump)(
  'an archive that svcd was killed beside goes on, and one with a gap says so (needs pg_dump)',
  async () => {
    const platform = await newPlatform('gap')
    const { data, env } = platform
    let [name, before] = ['', '']
    await killedAt(data, ['start'], { ...env, SVCD_PORT: '0', SVCD_RUNNER: 'process' }, () =>
      eventually(async () => existsSync(at(data, 'node-id'))),
    )
    await whileServing(
      data,
      async port => {
        name = await platform.fill(port)
        before = await platform.now()
      },
      env,
    )
    const start = ['start']
    await killedAt(data, start, { ...env, SVCD_PORT: '0', SVCD_RUNNER: 'process' }, () =>
      eventually(() => query(data, name, "insert into notes values ('four')")),
    )
    const mid = await platform.now()
    // Nobody copies the log now, but the command does.
    const found = await platform.restore('--at', mid, '--to', at('mid.dump'))
    expect([found.code, found.stderr]).toEqual([0, expect.stringContaining('Wrote')])
    const segments = platform.segments().sort()
    expect(segments.length).toBeGreaterThan(2)
    rmSync(segments[1]!)
    const gap = await platform.restore('--at', mid, '--to', at('gap.dump'))
    expect([gap.code, gap.stderr, existsSync(at('gap.dump'))]).toEqual([
      1,
      expect.stringContaining('some before are missing'),
      false,
    ])
    expect(before < mid).toBe(true)
    // After a gap, a new copy of the cluster begins another chain.
    await whileServing(
      data,
      async () => void (await eventually(async () => platform.bases().length > 1)),
      env,
    )
  },
)

it.runIf(canDump)(
  'another machine goes back with the archive of one that was lost (needs pg_dump)',
  async () => {
    const { data, env, token, ...platform } = await newPlatform('gone')
    let before = ''
    await whileServing(
      data,
      async port => {
        const name = await platform.fill(port)
        before = await platform.now()
        await query(data, name, 'delete from notes')
        expect((await svcd(data, ['backup', at('gone.tar')], env)).code).toBe(0)
        expect((await platform.restore('--at', await platform.now(), '--to', at('gone.dump'))).code).toBe(0)
      },
      env,
    )
    rmSync(at(data), { recursive: true })
    expect((await svcd('other', ['restore', at('gone.tar')], env)).code).toBe(0)
    await whileServing(
      'other',
      async port => {
        const restored = await svcd('other', ['db', 'restore', 'blog', '--at', before], env)
        expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining('is as it was')])
        const rows = await query('other', await nameOf(port, token), 'select note from notes order by 1')
        expect(rows.map(row => row.note)).toEqual(['one', 'two'])
      },
      env,
    )
  },
)

it('without an archive, or with a server of the operator, the command says what to do', async () => {
  await svcd('none', ['migrate'], withDatabases)
  const args = ['db', 'restore', 'blog', '--at', '2026-01-01T00:00:00Z']
  const none = await svcd('none', args, withDatabases)
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('Set SVCD_APPS_POSTGRES_ARCHIVE')])
  const url = 'postgresql://admin:of-the-operator@db.example.com/postgres'
  const own = await svcd('none', args, { ...withDatabases, SVCD_APPS_POSTGRES_URL: url })
  expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('on your own server')])
  expect(own.stderr).not.toContain('of-the-operator')
  const inside = { ...withDatabases, SVCD_APPS_POSTGRES_ARCHIVE: at('none', 'archive') }
  expect((await svcd('none', args, inside)).stderr).toContain('is in the data directory')
  expect((await svcd('none', ['db', 'restore', 'blog'], withDatabases)).code).toBe(1)
})
