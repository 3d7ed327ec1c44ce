import { describe, expect, it } from 'vitest'
import { project, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const live = 'dep_aaaaaaaaaaaaaaaa'
const old = 'dep_bbbbbbbbbbbbbbbb'
const failed = 'dep_cccccccccccccccc'

const deployment = (id: string, status: string, file_count: number | null, size_bytes: number | null) => ({
  id,
  status,
  created_at: '2026-11-15T23:59:59.999Z',
  file_count,
  size_bytes,
})
const detail = project('blog', {
  active_deployment_id: live,
  deployments: [
    deployment(failed, 'failed', null, null),
    deployment(live, 'live', 1200, 1_300_000),
    deployment(old, 'superseded', 1, 300),
  ],
})
const linked = () => temporaryDirectory({ 'svc.json': '{"project":"blog"}' })

describe('svc deployments', () => {
  it('lists them with a mark for the active one', async () => {
    const api = await standIn({ 'GET /projects/blog': { body: detail } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { code, stdout } = await svc(['deployments'], { cwd: linked(), env })
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        '  dep_cccccccccccccccc  failed      2026-11-15 23:59',
        '* dep_aaaaaaaaaaaaaaaa  live        2026-11-15 23:59  1,200 files  1.2 MB',
        '  dep_bbbbbbbbbbbbbbbb  superseded  2026-11-15 23:59  1 file       300 B',
        '',
      ].join('\n'),
    )
    const json = await svc(['deployments', '--json'], { cwd: linked(), env })
    expect(JSON.parse(json.stdout)).toEqual(detail)
  })

  it('says so when there are none', async () => {
    const api = await standIn({ 'GET /projects/shop': { body: { ...detail, deployments: [] } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['deployments', '--project', 'shop'], { cwd: linked(), env })).toEqual({
      code: 0,
      stdout: "No deployments yet. 'svc deploy' makes the first one.\n",
      stderr: '',
    })
  })

  it('deletes one', async () => {
    const api = await standIn({ [`DELETE /projects/blog/deployments/${old}`]: { body: { ok: true } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['deployments', 'rm', old], { cwd: linked(), env })).toEqual({
      code: 0,
      stdout: `Deleted ${old}.\n`,
      stderr: '',
    })
  })

  it('passes on that the live one cannot be deleted', async () => {
    const refused = refusal('deployment_live', 'This deployment is live.', 409)
    const api = await standIn({ [`DELETE /projects/blog/deployments/${live}`]: refused })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['deployments', 'delete', live], { cwd: linked(), env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: This deployment is live. (deployment_live)\n',
    })
  })

  it('never lets an id climb to another endpoint', async () => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    for (const id of ['..', '.'])
      expect(await svc(['deployments', 'rm', id], { cwd: linked(), env })).toMatchObject({
        code: 1,
        stderr: `svc: There is no id '${id}' (not_found)\n`,
      })
    await svc(['deployments', 'rm', '../x'], { cwd: linked(), env })
    expect(api.keys()).toEqual(['DELETE /projects/blog/deployments/..%2Fx'])
  })

  it('sends nothing for an unknown subcommand', async () => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['deployments', 'prune'], { cwd: linked(), env })).toMatchObject({ code: 1, stdout: '' })
    expect(api.calls).toEqual([])
  })
})

describe('svc promote', () => {
  it('makes the deployment live, and says how to take that back', async () => {
    const promote = `POST /projects/blog/deployments/${old}/promote`
    const answer = { ok: true, active_deployment_id: old, previous_deployment_id: 'dep_before' }
    const api = await standIn({ [promote]: { body: answer }, 'GET /projects/blog': { body: detail } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['promote', old], { cwd: linked(), env })).toEqual({
      code: 0,
      stdout: `${old} is live.\nhttp://blog.localhost:8080\n`,
      stderr: 'To take this back: svc rollback dep_before\n',
    })
    expect(JSON.parse((await svc(['promote', old, '--json'], { cwd: linked(), env })).stdout)).toEqual(answer)
    expect(await svc(['promote'], { cwd: linked(), env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Usage: svc promote <deployment-id>'),
    })
  })
})

describe('svc rollback', () => {
  it('activates the deployment and prints the URL', async () => {
    const activate = `POST /projects/blog/deployments/${old}/activate`
    const api = await standIn({
      [activate]: { body: { ok: true, active_deployment_id: old } },
      'GET /projects/blog': { body: detail },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['rollback', old], { cwd: linked(), env })).toEqual({
      code: 0,
      stdout: `${old} is live.\nhttp://blog.localhost:8080\n`,
      stderr: '',
    })
    expect(api.keys()).toEqual([activate, 'GET /projects/blog'])
  })
})
