// The archive of the databases: what operators see when it fails, how it catches up, and what it keeps.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withDatabases } from '../../testing/databases-of-apps.ts'
import { eventually } from '../../testing/eventually.ts'
import { at, call, svcd, useDirectory, whileServing } from '../backup/testbed.ts'

useDirectory()

const dayMs = 24 * 60 * 60 * 1000

async function newPlatform(data: string, more: Record<string, string> = {}) {
  const folder = at(`${data}-archive`)
  mkdirSync(folder)
  const env = { ...withDatabases, SVCD_APPS_POSTGRES_ARCHIVE: folder, ...more }
  await svcd(data, ['migrate'], env)
  const token = (await svcd(data, ['users', 'create', 'ada', '--admin', '--token'], env)).stdout.trim()
  // The others of these tests sort before it.
  const cluster = () => path.join(folder, readdirSync(folder).sort().at(-1) ?? 'none')
  const filesOf = (kind: 'base' | 'log') => {
    const dir = path.join(cluster(), kind)
    return existsSync(dir) ? readdirSync(dir).filter(name => name.endsWith('.gz')) : []
  }
  return {
    ...{ data, env, folder, token, cluster, filesOf },
    async createDatabase(port: number) {
      const json = { token, type: 'application/json', method: 'POST' }
      await call(port, '/projects', { ...json, body: '{"name":"blog"}' })
      expect((await call(port, '/projects/blog/database', { ...json, body: '{}' })).status).toBe(201)
    },
    async doctor(): Promise<string> {
      const { stdout } = await svcd(data, ['doctor'], env)
      return stdout.split('\n').find(line => line.includes('archive of databases')) ?? stdout
    },
    async metric(port: number, name: string): Promise<number | undefined> {
      const { text } = await call(port, '/metrics', { token })
      const line = text.split('\n').find(line => line.startsWith(`svcd_database_archive_${name} `))
      return line === undefined ? undefined : Number(line.split(' ')[1])
    },
    overview: async (port: number) => JSON.parse((await call(port, '/admin/overview', { token })).text),
  }
}

it('an archive that cannot be written is named by doctor, the operator area and the metrics, and catches up once it can', async () => {
  const { data, env, ...platform } = await newPlatform('unwritable')
  await whileServing(
    data,
    async port => {
      await platform.createDatabase(port)
      await eventually(async () => (await platform.metric(port, 'last_copy_timestamp_seconds')) !== 0)
      expect(await platform.metric(port, 'failures')).toBe(0)

      const log = path.join(platform.cluster(), 'log')
      renameSync(log, `${log}.away`)
      writeFileSync(log, '')
      const failures = await eventually(
        () => platform.metric(port, 'failures'),
        found => found !== undefined && found > 1,
      )
      expect(failures).toBeGreaterThan(1)
      expect(await platform.metric(port, 'waiting_bytes')).toBeGreaterThan(0)
      const doctor = await platform.doctor()
      expect(doctor).toMatch(
        /^FAIL {2}archive of databases: the archive of the databases has failed for 0 minutes/,
      )
      expect(doctor).toContain('SVCD_APPS_POSTGRES_ARCHIVE) cannot be written')
      expect(doctor).toContain(`in ${log}; ${platform.folder} has everything until`)
      expect(doctor).toContain('MB of the log wait for it. Mend the folder')
      const { checks, database_archive } = await platform.overview(port)
      expect(checks).toContainEqual({
        ...{ name: 'archive of databases', ok: false },
        message: expect.stringContaining('cannot be written'),
      })
      expect(database_archive).toMatchObject({ folder: platform.folder, error: expect.stringContaining(log) })
      const brokenAt = Date.parse(database_archive.failing_since)

      rmSync(log)
      renameSync(`${log}.away`, log)
      await eventually(
        () => platform.metric(port, 'failures'),
        found => found === 0,
      )
      expect(await platform.metric(port, 'waiting_bytes')).toBe(0)
      expect(await platform.metric(port, 'last_success_timestamp_seconds')).toBeGreaterThan(brokenAt / 1000)
      expect(await platform.doctor()).toMatch(/^ok {4}.*has everything until 0 minutes ago; the last copy/)
    },
    env,
  )
  // An archive that is not mounted is not made: the next start says so.
  renameSync(platform.folder, `${platform.folder}.away`)
  await whileServing(
    data,
    async port => {
      await eventually(
        () => platform.metric(port, 'failures'),
        found => found !== undefined && found > 0,
      )
      const { database_archive } = await platform.overview(port)
      expect(database_archive.error).toContain('is not there. Mount its disk, or make the folder')
      expect(existsSync(platform.folder)).toBe(false)
    },
    env,
  )
})

/** Returns false where this machine does not let the test mount. */
function mountSmall(dir: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', dir]))
  return true
}

it('a full archive is named by doctor and in the metrics, and gets its copy once there is room (needs root, to mount a small disk)', async ctx => {
  const { data, env, ...platform } = await newPlatform('full')
  if (!mountSmall(platform.folder, '512k')) return ctx.skip('this user may not mount a small disk')
  await whileServing(
    data,
    async port => {
      await platform.createDatabase(port)
      await eventually(
        () => platform.metric(port, 'failures'),
        found => found !== undefined && found > 0,
      )
      const doctor = await platform.doctor()
      expect(doctor).toMatch(/^FAIL {2}archive of databases: .*ENOSPC/)
      expect(doctor).toContain(platform.folder)
      execFileSync('mount', ['-o', 'remount,size=200m', platform.folder])
    },
    env,
  )
  await whileServing(
    data,
    async port => {
      await eventually(
        () => platform.metric(port, 'last_copy_timestamp_seconds'),
        found => found !== undefined && found > 0,
      )
      expect(await platform.metric(port, 'failures')).toBe(0)
      expect(platform.filesOf('base')).toHaveLength(1)
    },
    env,
  )
})

it('the archive keeps what its days and bytes allow, and always the newest copy with the log after it', async () => {
  const { data, env, ...platform } = await newPlatform('kept')
  await whileServing(
    data,
    async port => {
      await platform.createDatabase(port)
      await eventually(async () => platform.filesOf('base').length === 1)
      await eventually(async () => platform.filesOf('log').length > 1)
    },
    env,
  )
  const [base, log] = ['base', 'log'].map(kind => path.join(platform.cluster(), kind)) as [string, string]
  const newest = platform.filesOf('base')[0]!
  const [, segment, bytes] = newest.split('-') as [string, string, string]
  const timeline = segment.slice(0, 8)
  const olderSegment = (number: number) => `${timeline}00000000000000${number.toString(16).padStart(2, '0')}`
  const first = Number.parseInt(segment.slice(16), 16)
  const daysAgo = (days: number) => Date.now() - days * dayMs
  const addBase = (days: number, number: number) => {
    const name = `${Math.round(daysAgo(days))}-${olderSegment(number).toUpperCase()}-${bytes}`
    writeFileSync(path.join(base, name), '')
    return name
  }
  const addSegment = (number: number) => {
    const name = `${olderSegment(number).toUpperCase()}.gz`
    writeFileSync(path.join(log, name), '')
    return name
  }
  expect(first).toBeGreaterThanOrEqual(1)
  // From before the days, from before them but needed for their beginning, and from within.
  const [old, atBeginning] = [addBase(20, 0), addBase(9, first)]
  const oldSegment = addSegment(0)
  const former = (name: string, days: number) => {
    const file = path.join(platform.folder, name, 'base', `${Math.round(daysAgo(days))}-${segment}-1.tar.gz`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, '')
  }
  former('1111111111', 30)
  former('2222222222', 2)
  writeFileSync(path.join(base, 'half.part'), '')
  utimesSync(path.join(base, 'half.part'), 1, 1)
  const segments = platform.filesOf('log').filter(name => name !== oldSegment)

  const serve = (more: Record<string, string>, use: () => Promise<unknown>) =>
    whileServing(data, async () => void (await use()), { ...env, ...more })
  await serve({}, async () => {
    await eventually(async () => !existsSync(path.join(base, old)))
    await eventually(async () => !existsSync(path.join(platform.folder, '1111111111')))
  })
  expect(platform.filesOf('base')).toEqual(expect.arrayContaining([atBeginning, newest]))
  expect(readdirSync(base)).not.toContain('half.part')
  expect(platform.filesOf('log')).toEqual(expect.arrayContaining(segments))
  expect(platform.filesOf('log')).not.toContain(oldSegment)
  expect(readdirSync(platform.folder)).toContain('2222222222')

  // Too large: the oldest goes, although it is within the days.
  const large = path.join(base, atBeginning)
  truncateSync(large, 1.5 * 1024 ** 3)
  await serve({ SVCD_APPS_POSTGRES_ARCHIVE_BYTES: String(1024 ** 3) }, () =>
    eventually(async () => !existsSync(large)),
  )
  expect(platform.filesOf('base')).toContain(newest)
  expect(platform.filesOf('log')).toEqual(expect.arrayContaining(segments))
})
