import { expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import { buy } from '../testing/billing.ts'
import { WorkingCopy } from '../testing/git.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

const minute = 60_000

onEveryServer(server => {
  it('the platform refuses builds once the minutes of the month are used up; pushes still succeed', async () => {
    const owner = await server().account()
    const name = freshName()
    const { json: project } = await send(server(), 'POST /projects', owner, { name })
    const body = { repo: `${owner.login}/site`, build_cmd: 'true', install_cmd: 'true' }
    await send(server(), `POST /projects/${name}/repo`, owner, body)
    const now = server().clock.now()
    const used = {
      ...{
        id: newId('bld'),
        project_id: project.id,
        status: 'succeeded' as const,
        branch: 'main',
        is_production: 1,
      },
      ...{ commit_sha: 'x', commit_message: null, author: null, deployment_id: null, requested_by: null },
      ...{ created_at: now, started_at: now, finished_at: now + 500 * minute, error: null, node_id: null },
      ...{ lease_until: null, attempts: 1, cancel_requested: 0, from_fork: 0, asked_for: 0 },
      ...{ retries: 0, retry_at: null },
    } as const
    await server().running.platform.store.db.insertInto('builds').values(used).execute()
    expect((await send(server(), 'GET /billing', owner)).json.usage.build_minutes).toBe(500)

    const copy = await WorkingCopy.make(server(), owner.token, body.repo)
    await copy.commit({ 'index.html': 'x' })
    const push = await copy.git('push', 'origin', 'main')
    await copy.remove()
    expect([push.code, push.stderr]).toEqual([0, expect.stringContaining('no build minutes are left')])
    const builds = async () =>
      (await send(server(), `GET /projects/${name}/builds`, owner)).json.builds.length
    expect(await builds()).toBe(1)

    const refused = await send(server(), `POST /projects/${name}/builds`, owner, {})
    expect(refusal(refused)).toBe('402 quota_exceeded')
    expect(refused.json.error.message).toBe(
      'The plan allows 500 build minutes a month, and 500 are used. Wait until the next month begins (UTC), or change to a larger plan.',
    )
    // A deleted project takes nothing back.
    await send(server(), `DELETE /projects/${name}`, owner)
    await send(server(), 'POST /projects', owner, { name })
    await send(server(), `POST /projects/${name}/repo`, owner, body)
    expect((await send(server(), 'GET /billing', owner)).json.usage.build_minutes).toBe(500)
    expect(refusal(await send(server(), `POST /projects/${name}/builds`, owner, {}))).toBe(
      '402 quota_exceeded',
    )
    await buy(server(), owner)
    expect((await send(server(), `POST /projects/${name}/builds`, owner, {})).status).toBe(201)
  })
})
