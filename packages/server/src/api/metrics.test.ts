import { expect, it } from 'vitest'
import { writeLoopBlocks } from '../lib/loop-blocks.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
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
    expect((await server().request('/metrics', { token: other.token })).status).toBe(403)
    expect((await server().request('/metrics')).status).toBe(401)
  })
})
