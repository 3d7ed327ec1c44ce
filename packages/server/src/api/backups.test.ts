// Backups that run by themselves: the schedule, what operators see of them, and the email when they fail.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupPlan } from '../compose/backups.ts'
import { readSettings } from '../config.ts'
import { checkBackups } from '../core/platform/backup-report.ts'
import { type MakeBackup, makeDueBackup } from '../core/platform/backups.ts'
import { sweep } from '../core/platform/sweep.ts'
import { findBackup, recordGoodBackup } from '../store/platform/backups.ts'
import { platformAdmin } from '../testing/admins.ts'
import { archiveOf } from '../testing/archives.ts'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { startMailServer } from '../testing/mail-server.ts'
import { TestServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

const dayMs = 24 * 60 * 60 * 1000

describe.each(databases())('on %s', engine => {
  async function start(more: Record<string, string>) {
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-backups-'))
    const settings = { SVCD_BACKUP_URL: dir, SVCD_BACKUP_PASSPHRASE: 'correct horse battery', ...more }
    const server = await TestServer.start(engine, { SVCD_LOG_LEVEL: 'silent', ...settings })
    onTestFinished(async () => {
      await server.remove()
      await rm(dir, { recursive: true })
    })
    return { server, place: dir }
  }

  const rowOf = (server: TestServer, place: string) => findBackup(server.running.platform.store.db, place)

  test('a backup is made when it is due, once however many nodes look, and operators see its age', async () => {
    const { server, place } = await start({ SVCD_BACKUP_SCHEDULE: 'daily' })
    const { platform } = server.running
    const { token } = await platformAdmin(server)
    const name = freshName()
    await server.request('/projects', { method: 'POST', token, body: { name } })
    await server.upload(token, name, archiveOf({ 'index.html': 'kept' }))
    const overview = async () => (await server.request('/admin/overview', { token })).json
    await sweep(platform)
    const planned = Number((await rowOf(server, place))?.next_run_at)
    expect(planned - server.clock.now()).toBeLessThanOrEqual(dayMs)
    expect((await overview()).backups).toMatchObject({
      ...{ place, schedule: '0 3 * * *', next_run_at: new Date(planned).toISOString() },
      ...{ last_good_at: null, failures: 0, error: null },
    })

    server.clock.advance(planned - server.clock.now() + 1_000)
    await Promise.all([sweep(platform), sweep(platform)])
    const row = await eventually(
      () => rowOf(server, place),
      found => found?.good_at != null && Number(found.snapshots) === 1,
    )
    expect(Number(row?.next_run_at)).toBe(planned + dayMs)
    const { backups, checks } = await overview()
    expect(backups).toMatchObject({ last_good_id: row?.good_id, kept: 1, damaged: 0, failures: 0 })
    expect(backups.bytes).toBeGreaterThan(1000)
    expect(checks).toContainEqual({
      ...{ name: 'backups', ok: true },
      message: expect.stringMatching(/^the last good backup is \d+ (minutes|hours) old: \d{8}_\d{6}_/),
    })
    const { text } = await server.request('/metrics', { token })
    const label = `{place=${JSON.stringify(place)}}`
    expect(text).toContain(
      `svcd_backup_last_success_timestamp_seconds${label} ${Number(row?.good_at) / 1000}\n`,
    )
    expect(text).toContain(`svcd_backup_failures${label} 0\n`)
    expect(text).toContain(`svcd_backups_kept${label} 1\n`)
    await eventually(
      async () => (await server.request('/admin/jobs', { token })).json.jobs,
      jobs => !jobs.some(({ kind }: { kind: string }) => kind === 'backup'),
    )
  })

  test('the admins get one email when backups fail, and another one only after a good backup', async () => {
    const mail = await startMailServer()
    onTestFinished(() => mail.stop())
    const { server, place } = await start({ SVCD_BACKUP_SCHEDULE: 'off', SVCD_SMTP_URL: mail.url })
    const { platform } = server.running
    const admin = await platformAdmin(server)
    await platform.store.db
      .updateTable('accounts')
      .set({ email: 'ada@example.com' })
      .where('id', '=', admin.id)
      .execute()
    const { signal } = new AbortController()
    const fails: MakeBackup = () => Promise.reject(new Error('The backup was not made: the disk is full.'))
    const night = async () => {
      for (let attempt = 0; attempt < 3; attempt++) {
        server.clock.advance(1_000)
        await expect(makeDueBackup(platform, fails, place, signal)).rejects.toThrow('the disk is full')
      }
    }
    await night()
    await night()
    await eventually(async () => mail.taken.length === 1)
    expect(mail.taken[0]?.to).toEqual(['ada@example.com'])
    expect(mail.taken[0]?.raw).toMatch(/Subject: The backup of localhost fails/)
    expect(mail.taken[0]?.raw).toContain('the disk is full')
    expect(mail.taken[0]?.raw).toContain('There is no good backup yet.')
    expect(await rowOf(server, place)).toMatchObject({ failures: 6 })
    await expect(checkBackups(platform)).rejects.toThrow(
      'the last backup failed: The backup was not made: the disk is full.; there is no good backup',
    )

    const good = { good_id: 'x', good_bytes: 1, sent_bytes: 1, damaged: 0, now: server.clock.now() }
    await recordGoodBackup(platform.store.db, place, good)
    expect(await checkBackups(platform)).toContain('the last good backup is 0 minutes old')
    await night()
    await eventually(async () => mail.taken.length === 2)
    expect(mail.taken[1]?.raw).toContain('The last good backup was made at 2')
  })

  test('a backup that is too old for the schedule is named, and one that is interrupted is no failure', async () => {
    const { server, place } = await start({ SVCD_BACKUP_SCHEDULE: 'off' })
    const { platform } = server.running
    const stopping = new AbortController()
    const stops: MakeBackup = () => {
      stopping.abort()
      return Promise.reject(new Error('killed'))
    }
    await expect(makeDueBackup(platform, stops, place, stopping.signal)).rejects.toThrow('killed')
    expect(await rowOf(server, place)).toBeUndefined()
    const { signal } = new AbortController()
    const again = await makeDueBackup(platform, async () => 'busy', place, signal)
    expect(again).toBeGreaterThan(server.clock.now())
    await expect(makeDueBackup(platform, async () => 'made', '/other', signal)).rejects.toThrow(
      'is not /other on this node',
    )

    await expect(
      makeDueBackup(platform, () => Promise.reject(new Error('x')), place, signal),
    ).rejects.toThrow()
    const good = { good_id: 'x', good_bytes: 1, sent_bytes: 1, damaged: 2, now: server.clock.now() }
    await recordGoodBackup(platform.store.db, place, good)
    const nightly = { ...platform, backups: { place, schedule: '0 3 * * *', recipients: [] } }
    expect(await checkBackups(nightly)).toContain('2 parts of it were damaged before')
    server.clock.advance(3 * dayMs)
    await expect(checkBackups(nightly)).rejects.toThrow('is 3 days old, and SVCD_BACKUP_SCHEDULE')
    // By hand only: nobody knows when the next one is due.
    expect(await checkBackups(platform)).toContain('3 days old')
  })
})

test('a schedule that is none is refused in words', () => {
  const settings = { SVCD_BACKUP_URL: '/backups', SVCD_BACKUP_PASSPHRASE: 'correct horse battery' }
  const planOf = (schedule: string) =>
    backupPlan(readSettings({ ...settings, SVCD_BACKUP_SCHEDULE: schedule }))
  expect(() => planOf('every night')).toThrow(
    /^SVCD_BACKUP_SCHEDULE must be hourly, daily, weekly, off or a schedule/,
  )
  expect(planOf('30 2  * * 1')).toEqual({ place: '/backups', schedule: '30 2 * * 1', recipients: [] })
  expect(planOf('off')).toEqual({ place: '/backups', schedule: undefined, recipients: [] })
  expect(backupPlan(readSettings({}))).toBeUndefined()
})
