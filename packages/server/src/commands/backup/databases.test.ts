// The databases of projects in backups, and across the ends of svcd.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { canDump, withDatabases } from '../../testing/databases-of-apps.ts'
import { eventually } from '../../testing/eventually.ts'
import { at, call, killedAt, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

/** As the administrator of svcd's own server. */
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

const pidFile = (data: string) => at(data, 'postgresql', 'cluster', 'postmaster.pid')
const pidOf = (data: string) => readFileSync(pidFile(data), 'utf8').split('\n')[0]

async function newPlatform(data: string) {
  await svcd(data, ['migrate'])
  return (await svcd(data, ['users', 'create', 'ada', '--token'])).stdout.trim()
}

async function newDatabase(port: number, token: string): Promise<string> {
  const json = { token, type: 'application/json', method: 'POST' }
  await call(port, '/projects', { ...json, body: '{"name":"blog"}' })
  const made = await call(port, '/projects/blog/database', { ...json, body: '{}' })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return JSON.parse(made.text).database.name
}

describe('the databases of projects', () => {
  it.runIf(canDump)('are in a backup, and are there again after its restore (needs pg_dump)', async () => {
    const token = await newPlatform('first')
    let name = ''
    await whileServing(
      'first',
      async port => {
        name = await newDatabase(port, token)
        await query('first', name, `set role ${name}; create table notes as select 'kept' as note`)
        // As an earlier version had them: no role but that of the database reaches it.
        const rules = at('first', 'postgresql', 'cluster', 'pg_hba.conf')
        writeFileSync(rules, readFileSync(rules, 'utf8').replace(/^local samerole.*\n/m, ''))
        await query('first', 'postgres', 'select pg_reload_conf()')
        // As one that is too large.
        await query('first', 'postgres', `alter role ${name} nologin`)
        const made = await svcd('first', ['backup', at('one.tar')], withDatabases)
        expect([made.code, made.stderr]).toEqual([0, ''])
        await query('first', 'postgres', `alter role ${name} login`)
        // The backup leaves the server as it was.
        expect(await query('first', name, 'select note from notes')).toEqual([{ note: 'kept' }])
      },
      withDatabases,
    )
    expect(existsSync(pidFile('first'))).toBe(false)
    const stopped = await svcd('first', ['backup', at('two.tar')], withDatabases)
    expect([stopped.code, stopped.stderr]).toEqual([0, ''])
    expect(existsSync(pidFile('first'))).toBe(false)
    for (const file of ['one', 'two']) {
      expect((await svcd(`restored-${file}`, ['restore', at(`${file}.tar`)])).code).toBe(0)
      await whileServing(
        `restored-${file}`,
        async () => {
          expect(await query(`restored-${file}`, name, 'select note from notes')).toEqual([{ note: 'kept' }])
        },
        withDatabases,
      )
    }
  })

  it('go on when svcd is killed, and are taken over by the next one', async () => {
    const token = await newPlatform('killed')
    let name = ''
    const create = async (port: number) => {
      name = await newDatabase(port, token)
    }
    await whileServing('killed', create, withDatabases)
    const env = { ...withDatabases, SVCD_PORT: '0', SVCD_RUNNER: 'process' }
    await killedAt('killed', ['start'], env, () => eventually(() => query('killed', name, 'select 1 as one')))
    const pid = pidOf('killed')
    expect(await query('killed', name, 'select 1 as one')).toEqual([{ one: 1 }])
    await whileServing('killed', async () => expect(pidOf('killed')).toBe(pid), withDatabases)
    expect(existsSync(pidFile('killed'))).toBe(false)
  })
})
