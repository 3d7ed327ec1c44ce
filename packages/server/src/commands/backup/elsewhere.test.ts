import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { freshPostgres } from '../../testing/postgres.ts'
import { S3Server } from '../../testing/s3-server.ts'
import { at, call, deploy, type Env, killedAt, svcd, useDirectory, whileServing } from './testbed.ts'

useDirectory()

interface Place {
  env: Env
  /** The keys in the bucket. */
  objects(): string[]
  s3: S3Server
  url: string
}

/** Settings of a platform on PostgreSQL and S3, both empty. */
async function farPlace(end: (work: () => Promise<void>) => void = onTestFinished): Promise<Place> {
  const [database, s3] = [await freshPostgres(), await S3Server.start()]
  end(() => database.drop())
  end(() => s3.stop())
  return {
    env: { SVCD_DATABASE_URL: database.url, SVCD_STORAGE_URL: s3.storageUrl },
    objects: () => s3.leftovers().filter(key => !key.endsWith('/owner')),
    s3,
    url: database.url,
  }
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

function withResolvers() {
  let resolve!: () => void
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Makes a platform with one site and a secret, and a backup of it while it serves. Returns its token. */
async function makeBackup(data: string, file: string, env: Env): Promise<string> {
  const token = (await svcd(data, ['users', 'create', 'ada', '--token'], env)).stdout.trim()
  await whileServing(
    data,
    async port => {
      const json = { token, type: 'application/json' }
      await call(port, '/projects', { ...json, method: 'POST', body: '{"name":"blog"}' })
      await call(port, '/projects/blog/env/KEY', { ...json, method: 'PUT', body: '{"value":"secret"}' })
      await deploy(port, token, 'blog', 'first')
      await deploy(port, token, 'blog', 'hello')
      expect(await svcd(data, ['backup', at(file)], env)).toMatchObject({ code: 0, stderr: '' })
    },
    env,
  )
  return token
}

/** The site, the secret and the account are there, and the next deployment works. */
async function expectPlatform(data: string, token: string, env: Env): Promise<void> {
  const site = { host: 'blog.localhost' }
  await whileServing(
    data,
    async port => {
      expect(await call(port, '/', site)).toEqual({ status: 200, text: 'hello' })
      expect((await call(port, '/projects/blog/env', { token })).text).toContain('"value":"secret"')
      await deploy(port, token, 'blog', 'next')
      expect(await call(port, '/', site)).toEqual({ status: 200, text: 'next' })
      expect((await svcd(data, ['users', 'create', 'bob'], env)).code).toBe(0)
    },
    env,
  )
}

describe('a backup of a platform on PostgreSQL and S3', () => {
  let token: string
  let far: Place
  const ends: (() => Promise<void>)[] = []
  beforeAll(async () => {
    far = await farPlace(work => ends.push(work))
    // The data directory of a new platform is made by the first command.
    await svcd('far', ['migrate'], far.env)
    token = await makeBackup('far', 'far.tar', far.env)
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  test('gives the same platform in another database and bucket', async () => {
    const { env, objects } = await farPlace()
    const { code, stdout, stderr } = await svcd('again', ['restore', at('far.tar')], env)
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^Restored the platform of 2/)])
    expect(objects().length).toBeGreaterThanOrEqual(2)
    await expectPlatform('again', token, env)
  })

  test('gives the same platform on SQLite and the local disk', async () => {
    expect(await svcd('near', ['restore', at('far.tar')])).toMatchObject({ code: 0, stderr: '' })
    await expectPlatform('near', token, {})
  })

  test('is refused by a database or a bucket that is not empty, which keep what they have', async () => {
    const other = await farPlace()
    const [before, env] = [far.objects(), { ...far.env, SVCD_DATABASE_URL: other.url }]
    const taken = await svcd('taken', ['restore', at('far.tar')], far.env)
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('is not empty (table')])
    const full = await svcd('taken', ['restore', at('far.tar')], env)
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('already holds deployments')])
    expect(far.objects()).toEqual(before)
    other.s3.objects.set('deep/er/owner', { bytes: Buffer.from('another'), etag: '"x"', meta: {} })
    const owned = await svcd('taken', ['restore', at('far.tar')], other.env)
    expect([owned.code, owned.stderr]).toEqual([1, expect.stringContaining('belongs to another platform')])
    expect(await readdir(at('taken'))).toEqual(['svcd.lock'])
  })

  test('that was cut off or damaged is refused, and changes neither the database nor the bucket', async () => {
    const { env, s3, url } = await farPlace()
    const whole = await readFile(at('far.tar'))
    const damaged = Buffer.from(whole)
    damaged[whole.indexOf('.pack\0') + 600]! ^= 1
    for (const content of [whole.subarray(0, whole.length / 2), whole.subarray(0, -1500), damaged]) {
      await writeFile(at('broken.tar'), content)
      const { code, stderr } = await svcd('broken', ['restore', at('broken.tar')], env)
      expect([code, stderr]).toEqual([1, expect.stringContaining('incomplete or damaged')])
    }
    expect(s3.leftovers()).toEqual([])
    expect(await query(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([])
    expect(await readdir(at('broken'))).toEqual(['svcd.lock'])
  })

  test('leaves nothing behind if the bucket fails on the way, and can be restored again', async () => {
    const { env, s3 } = await farPlace()
    let puts = 0
    s3.mishap = ({ method, key }) =>
      method === 'PUT' && key.endsWith('.pack') && ++puts > 1 ? 403 : undefined
    const { code, stderr } = await svcd('failing', ['restore', at('far.tar')], env)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^svcd: The backup was not restored: .*403/)])
    expect(s3.leftovers()).toEqual([])
    expect((await readdir(at('failing'))).filter(name => name !== 's3-uploads')).toEqual(['svcd.lock'])
    s3.mishap = () => undefined
    expect((await svcd('failing', ['restore', at('far.tar')], env)).code).toBe(0)
    await expectPlatform('failing', token, env)
  })

  test('that was interrupted during the uploads starts no server, and can be restored again', async () => {
    const { env, s3 } = await farPlace()
    const { promise: hung, resolve: hangs } = withResolvers()
    let puts = 0
    s3.mishap = ({ method, key }) => {
      if (method !== 'PUT' || !key.endsWith('.pack') || ++puts < 2) return undefined
      hangs()
      return 'hang'
    }
    await killedAt('killed', ['restore', at('far.tar')], env, () => hung)
    s3.mishap = () => undefined
    expect(await svcd('killed', ['start'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was interrupted. Run 'svcd restore' again"),
    })
    expect((await svcd('killed', ['restore', at('far.tar')], env)).code).toBe(0)
    await expectPlatform('killed', token, env)
  })

  test('that was interrupted in the database can be restored again', async () => {
    const { env, url } = await farPlace()
    await svcd('for-schema', ['migrate'], env)
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    try {
      await blocker.query('begin')
      await blocker.query('lock table accounts in share mode')
      await killedAt('stopped', ['restore', at('far.tar')], env, () =>
        eventually(
          () => query(url, "select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'"),
          waiting => waiting.length === 1,
        ),
      )
    } finally {
      await blocker.end()
    }
    expect(await readdir(at('stopped'))).toEqual(expect.arrayContaining(['restore', 'secret.key']))
    // PostgreSQL ends the session of the killed restore when it sees that the client is gone.
    await eventually(
      () => svcd('stopped', ['restore', at('far.tar')], env),
      ({ code }) => code === 0,
    )
    await expectPlatform('stopped', token, env)
  })

  test('that was interrupted after the commit is complete', async () => {
    const { env } = await farPlace()
    expect((await svcd('late', ['restore', at('far.tar')], env)).code).toBe(0)
    // As a restore leaves it that is killed before it has removed what it unpacked.
    expect((await svcd('unpacked', ['restore', at('far.tar')])).code).toBe(0)
    await mkdir(at('late', 'restore'))
    await copyFile(at('unpacked', 'svc.db'), at('late', 'restore', 'svc.db'))
    await writeFile(at('late', 'restore', 'under-way'), '')
    expect(await svcd('late', ['restore', at('far.tar')], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('An earlier restore is complete'),
    })
    await expectPlatform('late', token, env)
  })
})

test('a backup of a platform on SQLite and the local disk can be restored to PostgreSQL and S3', async () => {
  await svcd('small', ['migrate'])
  const token = await makeBackup('small', 'small.tar', {})
  const { env } = await farPlace()
  expect(await svcd('large', ['restore', at('small.tar')], env)).toMatchObject({ code: 0, stderr: '' })
  await expectPlatform('large', token, env)
})
