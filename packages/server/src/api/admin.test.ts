import { endpoints } from '@svc/contract'
import { expect, it } from 'vitest'
import { forgetLoopBlocks, writeLoopBlocks } from '../lib/loop-blocks.ts'
import { platformAdmin, setAdmin } from '../testing/admins.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

const adminKeys = Object.keys(endpoints).filter(key => key.includes(' /admin/'))

onEveryServer(server => {
  const db = () => server().running.platform.store.db

  it('the operator area is closed to visitors, to deploy tokens and to accounts that are not platform admins', async () => {
    const team = await makeTeam(server())
    const made = await server().request(`/orgs/${team.org}/tokens`, {
      ...{ method: 'POST', token: team.owner.token, body: { kind: 'deploy' } },
    })
    await setAdmin(server(), team.outsider.id, false)
    for (const key of adminKeys) {
      const [method = '', path = ''] = key.split(' ')
      const statusWith = async (token?: string) =>
        (await server().request(path.replace(':login', 'x'), { method, token })).status
      expect([await statusWith(), await statusWith(made.json.token)], key).toEqual([401, 401])
      expect(await statusWith(team.outsider.token), key).toBe(403)
    }
  })

  it('the overview tells of disk, memory, queues, certificates, checks and limits', async () => {
    const admin = await platformAdmin(server())
    const now = server().clock.now()
    const job = { attempts: 0, claimed_until: null, created_at: now, run_at: now + 3_600_000 }
    await db()
      .insertInto('jobs')
      .values([
        { ...job, id: 'job_a', kind: 'invoice', key: 'a' },
        { ...job, id: 'job_b', kind: 'invoice', key: 'b', attempts: 2 },
        { ...job, id: 'job_c', kind: 'invoice', key: 'c', claimed_until: now + 3_600_000 },
      ])
      .execute()
    const { status, json } = await server().request('/admin/overview', { token: admin.token })
    expect(status).toBe(200)
    expect(json.jobs).toContainEqual({
      ...{ kind: 'invoice', waiting: 2, running: 1, retrying: 1, failed: 0, not_understood: 0 },
      late_since: null,
    })
    expect(json.disk.free_bytes).toBeGreaterThan(0)
    expect(json.memory.svcd_bytes).toBeGreaterThan(0)
    expect(json.builds).toMatchObject({ queued: 0, building: 0, oldest_queued_at: null })
    expect(json.certificates).toEqual({ valid: 0, pending: 0, issuing: 0, failed: 0 })
    expect(json.checks.map((check: { name: string }) => check.name)).toEqual([
      ...[
        'database',
        'storage',
        'keys',
        'disk',
        'stored files',
        'backups',
        'archive of databases',
        'event loop',
      ],
    ])
    expect(json.rate_limits.length).toBeGreaterThan(10)
    expect(json.accounts).toBeGreaterThan(0)
    expect(json.plan_limits.flatMap((plan: { limits: string[] }) => plan.limits).join()).toContain('tokens')
  })

  it('the overview says in words how often the event loop was blocked', async () => {
    const admin = await platformAdmin(server())
    const message = async () => {
      const { checks } = (await server().request('/admin/overview', { token: admin.token })).json
      return checks.find((check: { name: string }) => check.name === 'event loop').message
    }
    const last = { at: Date.UTC(2026, 10, 16, 9, 5), ms: 640, stack: ['at work (file:///x.js:1:1)'] }
    const main = { process: 'main', since: 0, count: 2, totalMs: 2140, longestMs: 1500, last }
    const { dataDir: dir } = server()
    writeLoopBlocks(dir, { ...main, count: 0, last: null })
    expect(await message()).toBe('was never blocked since svcd started')
    writeLoopBlocks(dir, main)
    writeLoopBlocks(dir, { ...main, process: 'edge-1', count: 1, last: { ...last, at: last.at - 60_000 } })
    expect(await message()).toBe(
      'was blocked 3 times since svcd started, for 1.5 s at most. Requests wait meanwhile. The last time was 2026-11-16 09:05 UTC, for 0.6 s. The log of svcd says what it was doing',
    )
    await forgetLoopBlocks(dir)
    expect(await message()).toMatch(/^is not watched: /)
  })

  it('the list of users is paged, can be searched, and says what each account uses', async () => {
    const admin = await platformAdmin(server())
    const mark = freshName()
    const people = [await server().account(`${mark}-a`), await server().account(`${mark}-b`)]
    await server().account(`${mark}_c`)
    await server().client(people[0]!.token)('POST /projects', { body: { name: freshName() } })
    const ask = async (query: string) =>
      (await server().request(`/admin/users?${query}`, { token: admin.token })).json
    const first = await ask(`search=${mark}-&limit=1`)
    const second = await ask(`search=${mark.toUpperCase()}-&limit=1&cursor=${first.next_cursor}`)
    const found = [...first.users, ...second.users]
    expect(found.map(user => user.login).toSorted()).toEqual([`${mark}-a`, `${mark}-b`])
    expect(second.next_cursor).toBeNull()
    expect(found.find(user => user.login === `${mark}-a`)).toMatchObject({
      projects: 1,
      orgs: 0,
      admin: false,
    })
    expect((await ask(`search=${mark}_`)).users).toHaveLength(1)
    expect((await ask('search=%25')).users).toEqual([])
    expect(JSON.stringify(found)).not.toContain('password')
  })

  it('the list of users says who has a second factor, and never that the account that asks was never active', async () => {
    const admin = await platformAdmin(server())
    const { json } = await server().request(`/admin/users?search=${admin.login}`, { token: admin.token })
    expect(json.users).toMatchObject([{ totp: false, passkeys: 0, last_used_at: expect.any(String) }])
    const now = server().clock.now()
    const secret = { account_id: admin.id, sealed: '', key_id: '', created_at: now, last_step: 0 }
    await db()
      .insertInto('totp_secrets')
      .values({ ...secret, enabled_at: null })
      .execute()
    const user = async () =>
      (await server().request(`/admin/users?search=${admin.login}`, { token: admin.token })).json.users[0]
    // Not before a code of the app was checked.
    expect((await user()).totp).toBe(false)
    await db().updateTable('totp_secrets').set({ enabled_at: now }).execute()
    expect((await user()).totp).toBe(true)
  })

  it('the certificates of all domains are listed by name, with their errors', async () => {
    const admin = await platformAdmin(server())
    const project = freshName()
    const client = server().client(admin.token)
    await client('POST /projects', { body: { name: project } })
    const domains = ['a', 'b'].map(letter => `${letter}.${freshName()}.example.com`)
    for (const domain of domains)
      await client('POST /projects/:name/domains', { params: { name: project }, body: { domain } })
    await db()
      .insertInto('certificates')
      .values({
        ...{
          name: domains[0]!,
          domain: domains[0]!,
          state: 'failed',
          next_at: 5,
          failures: 1,
          on_demand: 0,
          created_at: 1,
        },
        error: 'The authority refused.',
      })
      .onConflict(c => c.column('name').doUpdateSet({ state: 'failed', error: 'The authority refused.' }))
      .execute()
    const seen: { name: string; project: string; error: string | null }[] = []
    let cursor = ''
    do {
      const { json } = await server().request(`/admin/certificates?limit=1${cursor}`, { token: admin.token })
      seen.push(...json.certificates)
      cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`
    } while (cursor !== '')
    const ours = seen.filter(row => row.project === project)
    expect(ours.map(row => row.name)).toEqual(domains)
    expect(ours[0]).toMatchObject({ state: 'failed', error: 'The authority refused.' })
  })

  it('an account can see whether it is a platform admin', async () => {
    const admin = await platformAdmin(server())
    const { json } = await server().request('/me', { token: admin.token })
    expect(json.platform_admin).toBe(true)
  })
})
