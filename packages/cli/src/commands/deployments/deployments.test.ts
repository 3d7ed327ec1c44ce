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
const deployments = [
  deployment(failed, 'failed', null, null),
  deployment(live, 'live', 1200, 1_300_000),
  deployment(old, 'superseded', 1, 300),
]
const detail = project('blog', { active_deployment_id: live, deployments })
const withOlder = {
  ...detail,
  deployments: [...deployments, deployment('dep_dddddddddddddddd', 'superseded', 1, 200)],
}
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

  it('says that the operator suspended the project, and why', async () => {
    const suspended = { status: 451, reason: 'A court order.', at: '2026-11-15T23:59:59.999Z' }
    const api = await standIn({ 'GET /projects/blog': { body: { ...detail, suspended } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { code, stderr } = await svc(['deployments'], { cwd: linked(), env })
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The operator suspended blog: A court order. Visitors get the status 451.'),
    ])
  })

  const commit = '0123456789abcdef0123456789abcdef01234567'
  const url = (id: string) => `https://${id.replace('_', '-')}--blog.example.com`
  const fromGit = {
    ...deployment(live, 'live', 12, 4096),
    created_by: 'ada',
    git_sha: commit,
    git_branch: 'main',
    url: url(live),
  }
  const byHand = { ...deployment(old, 'superseded', 1, 300), created_by: 'bob', git_sha: null, url: url(old) }
  const broken = { ...deployment(failed, 'failed', null, null), created_by: 'ada', url: url(failed) }

  it('shows the version of Node of servers', async () => {
    const deployments = [{ ...fromGit, node_version: '22.3.0' }, byHand]
    const api = await standIn({ 'GET /projects/blog': { body: { ...detail, deployments } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const [first, second] = (await svc(['deployments'], { cwd: linked(), env })).stdout.split('\n')
    expect(first).toContain('  main  Node 22.3.0  https://')
    expect(second).not.toContain('Node')
  })

  it('shows author, commit, branch and permanent URL where they are known', async () => {
    const deployments = [fromGit, byHand, broken]
    const api = await standIn({ 'GET /projects/blog': { body: { ...detail, deployments } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect((await svc(['deployments', 'ls'], { cwd: linked(), env })).stdout).toBe(
      [
        `* ${live}  live        2026-11-15 23:59  12 files  4 KB   ada  0123456  main  ${url(live)}`,
        `  ${old}  superseded  2026-11-15 23:59  1 file    300 B  bob                 ${url(old)}`,
        `  ${failed}  failed      2026-11-15 23:59                   ada`,
        '',
      ].join('\n'),
    )
  })

  it('puts the URL below its deployment on a terminal that is too narrow', async () => {
    const deployments = [fromGit, broken]
    const api = await standIn({ 'GET /projects/blog': { body: { ...detail, deployments } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const { stdout } = await svc(['deployments'], { cwd: linked(), env, terminal: true })
    expect(stdout).toBe(
      [
        `* ${live}  live    2026-11-15 23:59  12 files  4 KB  ada  0123456  main`,
        `    ${url(live)}`,
        `  ${failed}  failed  2026-11-15 23:59                  ada`,
        '',
      ].join('\n'),
    )
  })

  it('looks through all deployments with --branch, --status and --limit', async () => {
    const list = '/projects/blog/deployments?branch=fix%2Fa%26b&status=branch&'
    const api = await standIn({
      'GET /projects/blog': { body: detail },
      [`GET ${list}limit=3`]: { body: { deployments: [fromGit, byHand], next_cursor: 'c' } },
      [`GET ${list}cursor=c&limit=3`]: { body: { deployments: [broken, broken], next_cursor: 'd' } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const args = ['deployments', '--branch', 'fix/a&b', '--status', 'branch', '--limit', '3']
    const { code, stdout } = await svc(args, { cwd: linked(), env })
    expect(code).toBe(0)
    expect(stdout.match(/dep_\w+/g)).toEqual([live, old, failed])
    const json = JSON.parse((await svc([...args, '--json'], { cwd: linked(), env })).stdout)
    expect(json).toEqual({ deployments: [fromGit, byHand, broken], next_cursor: null })
  })

  it('says so when none matches, and refuses a status that there is not', async () => {
    const api = await standIn({
      'GET /projects/blog': { body: detail },
      'GET /projects/blog/deployments?status=failed&limit=20': { body: { deployments: [] } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { stdout } = await svc(['deployments', '--status', 'failed'], { cwd: linked(), env })
    expect(stdout).toBe("No deployments match. 'svc deployments' lists the recent ones.\n")
    expect((await svc(['deployments', '--status', 'dead'], { cwd: linked(), env })).stderr).toBe(
      "svc: --status must be one of live, superseded, branch, failed, uploading, not 'dead'.\n",
    )
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
      stderr: `To take this back: svc rollback ${live}\n`,
    })
    expect(api.keys()).toEqual(['GET /projects/blog', activate, 'GET /projects/blog'])
  })

  it('asks at a terminal whether the disk goes back, too', async () => {
    const restore = 'POST /projects/blog/disk/snapshots/snp_into/restore'
    const deployments = [
      { id: live, kind: 'server', created_at: '2026-11-16T10:00:00.000Z' },
      { id: old, kind: 'server', created_at: '2026-11-15T10:00:00.000Z' },
    ]
    const snapshots = [
      { id: 'snp_later', reason: 'deploy', created_at: '2026-11-17T10:00:00.000Z' },
      { id: 'snp_daily', reason: 'daily', created_at: '2026-11-16T12:00:00.000Z' },
      { id: 'snp_into', reason: 'deploy', created_at: '2026-11-16T10:00:05.000Z' },
      { id: 'snp_before', reason: 'deploy', created_at: '2026-11-15T10:00:05.000Z' },
    ]
    const api = await standIn({
      [`POST /projects/blog/deployments/${old}/activate`]: {
        body: { ok: true, active_deployment_id: old },
      },
      'GET /projects/blog': { body: { ...detail, active_deployment_id: live, deployments } },
      'GET /projects/blog/disk/snapshots': { body: { snapshots } },
      [restore]: { body: { ok: true } },
      'GET /projects/blog/disk': { body: { disk: { is_copying: false, problem: null } } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const answer = (stdin: string) => svc(['rollback', old], { cwd: linked(), env, terminal: true, stdin })
    const kept = await answer('n\n')
    expect(kept).toMatchObject({ code: 0, stdout: `${old} is live.\nhttp://blog.localhost:8080\n` })
    expect(kept.stderr).toContain('The disk stays as it is. The snapshot snp_into of')
    expect(api.keys()).not.toContain(restore)
    expect((await answer('y\n')).stderr).toContain('Restored snp_into to the disk.')
    expect(api.keys()).toContain(restore)
    // A script is asked nothing.
    const before = api.keys().length
    await svc(['rollback', old], { cwd: linked(), env })
    expect(api.keys().slice(before)).not.toContain('GET /projects/blog/disk/snapshots')
  })

  it('names the deployments that it could go back to when it is given none', async () => {
    const api = await standIn({ 'GET /projects/blog': { body: detail } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    for (const args of [['rollback'], ['rollback', '']])
      expect(await svc(args, { cwd: linked(), env })).toEqual({
        code: 1,
        stdout: '',
        stderr: `svc: Usage: svc rollback <deployment-id>\nIt can go back to:\n  ${old}  2026-11-15 23:59\n`,
      })
    expect(api.keys()).toEqual(['GET /projects/blog', 'GET /projects/blog'])
  })

  it('asks at a terminal which deployment to go back to', async () => {
    const activate = `POST /projects/blog/deployments/${old}/activate`
    const api = await standIn({
      [activate]: { body: { ok: true, active_deployment_id: old } },
      'GET /projects/blog': { body: withOlder },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const choose = (typed: string) =>
      svc(['rollback'], { cwd: linked(), env, terminal: true, stdin: `${typed}\n` })
    const chosen = await choose('1')
    expect(chosen).toMatchObject({ code: 0, stdout: `${old} is live.\nhttp://blog.localhost:8080\n` })
    expect(chosen.stderr).toContain('It can go back to:')
    expect(chosen.stderr).toContain('Which one? [1-2] ')
    const calls = api.keys().length
    for (const typed of ['', '0', '3', 'x', '-1'])
      expect(await choose(typed)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('Nothing was chosen'),
      })
    expect(api.keys().slice(calls)).not.toContain(activate)
  })

  it('asks at a terminal for a yes if there is one deployment to go back to', async () => {
    const activate = `POST /projects/blog/deployments/${old}/activate`
    const api = await standIn({
      [activate]: { body: { ok: true, active_deployment_id: old } },
      'GET /projects/blog': { body: detail },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const answer = (stdin: string) => svc(['rollback'], { cwd: linked(), env, terminal: true, stdin })
    const no = await answer('n\n')
    expect([no.code, no.stderr]).toEqual([1, expect.stringContaining('Nothing was chosen')])
    expect(api.keys()).not.toContain(activate)
    const yes = await answer('\n')
    expect([yes.code, yes.stderr]).toEqual([0, expect.stringContaining('This one? [Y/n] ')])
    expect(api.keys()).toContain(activate)
  })

  it('shows its usage alone without a project, a login, or an answer', async () => {
    const usage = { code: 1, stdout: '', stderr: 'svc: Usage: svc rollback <deployment-id>\n' }
    const first = project('blog', {
      active_deployment_id: live,
      deployments: [deployment(live, 'live', 1, 1)],
    })
    const api = await standIn({ 'GET /projects/blog': { body: first } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    expect(await svc(['rollback'], { env })).toEqual(usage)
    expect(await svc(['rollback'], { cwd: linked(), env: { SVC_API_URL: api.url } })).toEqual(usage)
    expect(
      await svc(['rollback'], { cwd: linked(), env: { ...env, SVC_API_URL: 'http://127.0.0.1:1' } }),
    ).toEqual(usage)
  })

  it('names the deployments by their commits', async () => {
    const commit = { git_sha: 'c0ffee0123', commit_author: 'Grace', commit_message: 'Add prices\n\nMore' }
    const built = { ...deployment(old, 'superseded', 1, 300), created_by: 'ada', ...commit }
    const body = { ...detail, deployments: [deployment(live, 'live', 1, 1), built] }
    const api = await standIn({ 'GET /projects/blog': { body } })
    const { stderr } = await svc(['rollback'], {
      cwd: linked(),
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    expect(stderr).toContain(`  ${old}  2026-11-15 23:59  Grace  c0ffee0  Add prices\n`)
  })

  it('says that there is no earlier deployment', async () => {
    const first = project('blog', {
      active_deployment_id: live,
      deployments: [deployment(live, 'live', 1, 1)],
    })
    const api = await standIn({ 'GET /projects/blog': { body: first } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const usage = 'svc: Usage: svc rollback <deployment-id>\n'
    for (const terminal of [false, true])
      expect(await svc(['rollback'], { cwd: linked(), env, terminal })).toEqual({
        code: 1,
        stdout: '',
        stderr: `${usage}There is no earlier deployment to go back to.\n`,
      })
  })
})
