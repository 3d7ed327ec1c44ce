// The database of a project on somebody's machine: with the real svc, psql and node-postgres, and svcd with an edge worker in front.
import { execFileSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { withDatabases } from '@svc/server/dist/testing/databases-of-apps.js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Shell } from './shell.ts'
import { Machine, type Svcd } from './svcd.ts'

let machine: Machine
let svcd: Svcd
let shell: Shell
let token: string

beforeAll(async () => {
  machine = await Machine.make({ ...withDatabases, SVCD_EDGE_WORKERS: '1' })
  svcd = await machine.start()
  token = await machine.token('ada')
  shell = new Shell({ SVC_API_URL: svcd.url, SVC_TOKEN: token })
  shell.write({ 'index.html': 'hi' })
  for (const line of ['init shop', 'db create'])
    expect(await shell.svc(...line.split(' '))).toMatchObject({ code: 0 })
})

afterAll(async () => {
  await svcd?.stop()
  shell?.remove()
  await machine?.remove()
})

/** Whether Debian's client programs are here. */
const hasPsql = (): boolean => {
  try {
    return execFileSync('psql', ['--version'], { encoding: 'utf8' }).includes('PostgreSQL')
  } catch {
    return false
  }
}

async function url(): Promise<{ url: string; end: () => Promise<unknown> }> {
  const { child, ended } = shell.start('db', 'url', '--temporary')
  for await (const line of createInterface(child.stdout!))
    return {
      url: line,
      end: () => {
        child.kill('SIGINT')
        return ended
      },
    }
  throw new Error(`svc printed no URL: ${(await ended).stderr}`)
}

test('a driver uses the URL while the command runs, and only with its password', async () => {
  const { url: address, end } = await url()
  expect(address).toMatch(/^postgresql:\/\/svc_\w+:[\w-]+@127\.0\.0\.1:\d+\/svc_\w+\?sslmode=disable$/)
  const clients = [1, 2].map(() => new pg.Client(address))
  for (const client of clients) await client.connect()
  const [first, second] = clients as [pg.Client, pg.Client]
  await first.query(
    'create table notes as select repeat(md5(i::text), 300) as text from generate_series(1, 2000) i',
  )
  const { rows } = await second.query('select text from notes')
  expect(rows).toHaveLength(2000)
  expect((await second.query('select length($1) as n', ['x'.repeat(10_000_000)])).rows).toEqual([
    { n: 10_000_000 },
  ])
  await expect(new pg.Client(address.replace(/:[\w-]+@/, ':wrong@')).connect()).rejects.toThrow(
    'password is wrong',
  )
  for (const client of clients) await client.end()
  expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining('Ctrl-C ends it') })
  await expect(new pg.Client(address).connect()).rejects.toThrow('ECONNREFUSED')
})

test('a client is told in its own words what the platform refuses', async () => {
  const { url: address, end } = await url()
  await shell.svc('db', 'rm', '--yes')
  await expect(new pg.Client(address).connect()).rejects.toThrow('has no database')
  await shell.svc('db', 'undelete')
  await end()
})

test.runIf(hasPsql())('svc db shell is psql on that database (needs psql)', async () => {
  const asked = await shell.svc(
    'db',
    'shell',
    '--',
    '-At',
    '-c',
    'select current_user = current_database(), 6 * 7',
  )
  expect(asked).toEqual({ code: 0, stdout: 't|42\n', stderr: '' })
  const failed = await shell.svc('db', 'shell', '--', '-c', 'select nothing')
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('does not exist')])
  const copied = await shell.svc(
    'db',
    'shell',
    '--',
    '-At',
    '-c',
    "select repeat('x', 1000) from generate_series(1, 20000)",
  )
  expect(copied.stdout.length).toBe(20_000 * 1_001)
})

test('svc db shell says how to get psql, and svc db url what it needs', async () => {
  const without = new Shell({ SVC_API_URL: svcd.url, SVC_TOKEN: token, PATH: '/nowhere' })
  const { code, stderr } = await without.svc('db', 'shell', '--project', 'shop')
  expect([code, stderr]).toEqual([1, expect.stringContaining('postgresql-client')])
  const bare = await without.svc('db', 'url', '--project', 'shop')
  expect([bare.code, bare.stderr]).toEqual([1, expect.stringContaining('--temporary')])
  without.remove()
})
