// The role of a project tries to leave its database, to read files, to run programs and to lift its limits.
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { thisMachine } from '../../compose/app-databases.ts'
import { asRole, postgresPrograms } from '../../testing/databases-of-apps.ts'
import { OwnDatabases } from './own-server.ts'

const attacker = { name: 'svc_attacker0', password: 'attackers_password', connections: 4 }
const victim = { name: 'svc_victim000', password: 'victims_password', connections: 4 }

const machine = await thisMachine()
let dir: string
let server: OwnDatabases
beforeAll(async () => {
  dir = await mkdtemp('/tmp/svc-attacks-')
  const socketDir = path.join(dir, 'socket')
  server = new OwnDatabases(
    { dir, programs: postgresPrograms, connections: 50, machine },
    { host: socketDir, socketDir },
  )
  await server.ensure(attacker)
  await server.ensure(victim)
  await as(victim, client => client.query("create table secrets as select 'hunter2' as secret"))
})
afterAll(async () => {
  await server.close()
  await rm(dir, { recursive: true, force: true })
})

const as = <T>(
  { name, password }: { name: string; password: string },
  work: (client: pg.Client) => Promise<T>,
  database = name,
): Promise<T> => asRole({ host: path.join(dir, 'socket'), user: name, password, database }, work)

const tries = (statement: string) => as(attacker, client => client.query(statement))

describe('the role of a project', () => {
  it.each([
    ['read a file of the server', "select pg_read_file('/etc/passwd')"],
    ['list a directory of the server', "select * from pg_ls_dir('/')"],
    ['import a file as a large object', "select lo_import('/etc/passwd')"],
    ['export a large object to a file', "select lo_export(lo_from_bytea(0, 'x'), '/tmp/x')"],
    ['run a program', "copy (select 1) to program 'id'"],
    ['read the output of a program', "create temp table t (a text); copy t from program 'id'"],
    ['read a file with COPY', "create temp table t (a text); copy t from '/etc/passwd'"],
    ['write a file with COPY', "copy (select 1) to '/tmp/x'"],
    ['have an extension that connects elsewhere', 'create extension dblink'],
    ['have an extension that reads files', 'create extension file_fdw'],
    ['have an untrusted language', 'create extension plpython3u'],
    ['have a language that no limit of time ends', 'create extension plperl'],
    [
      'make a function of a library',
      "create function f() returns int language c as '/lib/x86_64-linux-gnu/libc.so.6', 'getpid'",
    ],
    ['become the administrator', 'set role svcd'],
    ['become another project', 'set session authorization svc_victim000'],
    ['make a role', 'create role other login'],
    ['make a database', 'create database other'],
    ['drop the database of another project', 'drop database svc_victim000'],
    ['raise its number of connections', 'alter role svc_attacker0 connection limit 1000'],
    ['make itself superuser', 'alter role svc_attacker0 superuser'],
    ['change the password of another role', "alter role svc_victim000 password 'x'"],
    ['lift its limit of temporary files', "set temp_file_limit = '100GB'"],
    ['lift that limit for its next sessions', "alter role svc_attacker0 set temp_file_limit = '100GB'"],
    ['change settings of the server', 'alter system set max_connections = 1'],
    ['read the hashes of passwords', 'select rolpassword from pg_authid'],
    ['read the statements of all', 'select * from pg_stat_statements'],
    ['replicate', "select pg_create_physical_replication_slot('s')"],
    ['hide triggers', 'set session_replication_role = replica'],
  ])('cannot %s', async (_, statement) => {
    await expect(tries(statement)).rejects.toThrow(
      /permission denied|must be|must have|not available|does not exist|could not open extension|Only roles/,
    )
  })

  it('cannot connect to other databases, nor without its password', async () => {
    for (const database of ['svc_victim000', 'postgres', 'template1'])
      await expect(as(attacker, async () => undefined, database)).rejects.toThrow('pg_hba.conf rejects')
    await expect(as({ ...victim, password: 'wrong' }, async () => undefined)).rejects.toThrow(
      'authentication failed',
    )
    await expect(as({ name: 'svcd', password: '' }, async () => undefined, 'postgres')).rejects.toThrow()
  })

  it('cannot keep the database of another project from being removed', async () => {
    const other = { name: 'svc_other0000', password: 'others_password', connections: 4 }
    await server.ensure(other)
    await as(attacker, client =>
      client.query('create table shared (a int); grant select on shared to svc_other0000'),
    )
    await server.remove(other.name)
    expect((await server.list()).map(({ name }) => name)).not.toContain(other.name)
    await expect(as(other, async () => undefined)).rejects.toThrow('not permitted to log in')
  })

  it('cannot keep itself from being closed', async () => {
    await as(attacker, async busy => {
      await busy.query("begin; alter role svc_attacker0 set application_name = 'x'")
      await busy.query("alter role svc_attacker0 password 'another_password'")
      await server.setMode(attacker.name, 'closed')
    })
    await expect(tries('select 1')).rejects.toThrow('not permitted to log in')
    await server.setMode(attacker.name, 'writable')
    await tries('select 1')
  })

  it('does not see what others do', async () => {
    await as(victim, async busy => {
      await busy.query("select 'hunter2'")
      const { rows } = await tries("select query from pg_stat_activity where usename = 'svc_victim000'")
      expect(JSON.stringify(rows)).not.toContain('hunter2')
      const ended = await tries(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'svc_victim000'",
      ).catch((error: Error) => error.message)
      expect(String(ended)).toMatch(/must be a member|permission denied/)
    })
  })

  it('leaves connections for others when it has taken all of its own', async () => {
    const open: pg.Client[] = []
    try {
      for (let i = 0; i < attacker.connections; i++) {
        const client = new pg.Client({
          host: path.join(dir, 'socket'),
          user: attacker.name,
          database: attacker.name,
          password: attacker.password,
        })
        client.on('error', () => undefined)
        open.push(client)
        await client.connect()
      }
      await expect(tries('select 1')).rejects.toThrow('too many connections for role')
      const { rows } = await as(victim, client => client.query('select 1 as one'))
      expect(rows).toEqual([{ one: 1 }])
    } finally {
      for (const client of open) await client.end()
    }
  })

  it('fills no disk with temporary files, and no memory with one statement', async () => {
    await expect(
      as(attacker, async client => {
        await client.query('set work_mem = 64; set statement_timeout = 0')
        await client.query(
          "select count(*) from (select repeat('x', 1000) || i as a from generate_series(1, 2000000) i order by 1) s",
        )
      }),
    ).rejects.toThrow('temporary file size exceeds')
    await expect(
      as(attacker, async client => {
        await client.query("set work_mem = '100GB'; set statement_timeout = 0")
        await client.query(
          "select count(*) from (select i, repeat('x', 1000) || i from generate_series(1, 2000000) i order by 2) s",
        )
      }),
    ).rejects.toThrow(/out of memory|Connection terminated|temporary file size/)
    const { rows } = await as(victim, client => client.query('select 1 as one'))
    expect(rows).toEqual([{ one: 1 }])
  })

  it('may have the extensions of the list', async () => {
    await tries('create extension if not exists pgcrypto; create extension if not exists pg_trgm')
    const { rows } = await tries('select length(gen_random_uuid()::text) as length')
    expect(rows).toEqual([{ length: 36 }])
  })

  it('may have schemas of its own, as the tools for migrations need', async () => {
    await tries(
      'create schema drizzle; create table drizzle.migrations (id int); create table public.users (id int)',
    )
  })
})

describe("svcd's own server", () => {
  it('goes on for the next svcd if this one is killed or replaced', async () => {
    const socketDir = path.join(dir, 'socket')
    const next = new OwnDatabases(
      { dir, programs: postgresPrograms, connections: 50, machine },
      { host: socketDir, socketDir },
    )
    await as(victim, async client => {
      await server.close({ keepsServer: true })
      expect((await next.list()).map(({ name }) => name)).toContain('svc_victim000')
      // It has not started another one.
      await next.close({ keepsServer: 'as it was' })
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    })
  })

  it('starts again after a crash, with everything that was committed', async () => {
    await as(victim, client => client.query('create table if not exists marks as select 7 as mark'))
    await server.close()
    await expect(as(victim, async () => undefined)).rejects.toThrow()
    await server.start()
    const { rows } = await as(victim, client => client.query('select mark from marks'))
    expect(rows).toEqual([{ mark: 7 }])
  })
})
