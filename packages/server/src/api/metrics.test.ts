import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { metricsText } from '../core/platform/metrics.ts'
import { writeLoopBlocks } from '../lib/loop-blocks.ts'
import { platformAdmin } from '../testing/admins.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer } from '../testing/server.ts'
import { deploySite } from '../testing/sites.ts'

onEveryServer(server => {
  it('the metrics say what waits, and for how long', async () => {
    const { platform } = server().running
    const now = server().clock.now()
    const { db } = platform.store
    const job = { kind: 'of a newer version', attempts: 0, claimed_until: null, created_at: now }
    const due = { ...job, id: 'job_due', key: 'due', run_at: now - 90_000 }
    const failed = { ...job, id: 'job_failed', key: 'failed', run_at: now - 500_000, failed_at: now }
    await db
      .insertInto('jobs')
      .values([due, { ...due, id: 'job_later', key: 'later', run_at: now + 60_000 }])
      .execute()
    await db.insertInto('jobs').values(failed).execute()
    const certificate = {
      ...{
        domain: null,
        project_id: null,
        state: 'valid' as const,
        next_at: now + 1e9,
        claim: null,
        claimed_until: null,
      },
      ...{ waiting_for: null, error: null, order_url: null, challenge_token: null, challenge_answer: null },
      ...{ chain: null, issued_at: now, created_at: now },
    }
    await db
      .insertInto('certificates')
      .values([
        { ...certificate, name: 'a.example.test', on_demand: 0, failures: 2, expires_at: now + 5_000_000 },
        { ...certificate, name: 'b.example.test', on_demand: 0, failures: 0, expires_at: now + 9_000_000 },
        { ...certificate, name: 'c.example.test', on_demand: 1, failures: 1, expires_at: now + 1_000 },
      ])
      .execute()
    onTestFinished(async () => {
      await db.deleteFrom('jobs').where('kind', '=', job.kind).execute()
      await db.deleteFrom('certificates').where('name', 'like', '%.example.test').execute()
    })
    const text = await metricsText({ ...platform, clock: { ...platform.clock, now: () => now } })
    const metric = (name: string) => Number(new RegExp(`^svcd_${name} (.*)$`, 'm').exec(text)?.[1])
    expect(metric('jobs_oldest_seconds')).toBe(90)
    expect(metric('jobs_given_up')).toBe(1)
    expect(metric('certificates')).toBe(2)
    expect(metric('certificates_failing')).toBe(1)
    expect(metric('certificates_soonest_end_timestamp_seconds')).toBe((now + 5_000_000) / 1000)
  })

  it('the metrics count requests of sites and of the API, and the dashboard for Grafana uses no other names', async () => {
    const admin = await platformAdmin(server())
    const name = await deploySite(server(), admin.token, { 'index.html': 'hello' })
    for (const path of ['/', '/', '/missing']) await server().site(name, path)
    const read = async () => (await server().request('/metrics', { token: admin.token })).text
    const counted = 'svcd_requests_total{process="main",class="static",status="404"} '
    await eventually(async () => (await read()).includes(counted))
    const text = await read()
    expect(text).toMatch(/^svcd_requests_total\{process="main",class="static",status="200"\} [1-9]/m)
    expect(text).toMatch(/^svcd_request_duration_seconds_count\{process="main",class="api"\} [1-9]/m)
    expect(text).toMatch(
      /^svcd_api_requests_total\{process="main",endpoint="POST \/projects\/:name\/deployments",status="201"\} [1-9]/m,
    )
    const known = new Set(
      Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, metric, type]) => ({ metric, type })).flatMap(
        ({ metric, type }) =>
          type === 'histogram' ? ['_bucket', '_sum', '_count'].map(suffix => metric + suffix) : metric!,
      ),
    )
    const dashboard = await readFile(new URL('../../../../deploy/grafana.json', import.meta.url), 'utf8')
    const expressions: string[] = JSON.parse(dashboard).panels.flatMap(
      (panel: { targets: { expr: string }[] }) => panel.targets.map(({ expr }) => expr),
    )
    expect(expressions.length).toBeGreaterThan(20)
    for (const expression of expressions)
      for (const [used] of expression.matchAll(/\bsvcd_\w+/g)) expect(known).toContain(used)
  })

  it('the metrics endpoint gives admins the numbers of the platform, and nobody else', async () => {
    const { db } = server().running.platform.store
    const admin = await server().account()
    await db.updateTable('accounts').set({ is_admin: 1 }).where('id', '=', admin.id).execute()
    const other = await server().account()
    await db.updateTable('accounts').set({ is_admin: 0 }).where('id', '=', other.id).execute()
    writeLoopBlocks(server().dataDir, {
      process: 'main',
      since: 0,
      count: 3,
      totalMs: 1_500,
      longestMs: 900,
      last: null,
    })
    const { status, text, headers } = await server().request('/metrics', { token: admin.token })
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text).toContain('# TYPE svcd_event_loop_blocks_total counter\n')
    expect(text).toContain('svcd_event_loop_blocks_total{process="main"} 3\n')
    expect(text).toContain('svcd_event_loop_blocked_seconds_total{process="main"} 1.5\n')
    expect(text).toMatch(/\nsvcd_disk_free_bytes \d+\n/)
    expect(text).toContain('svcd_builds{status="queued"} 0\nsvcd_builds{status="building"} 0\n')
    expect(text).toContain('svcd_certificates_failing 0\n')
    expect((await server().request('/metrics', { token: other.token })).status).toBe(403)
    expect((await server().request('/metrics')).status).toBe(401)
  })
})
