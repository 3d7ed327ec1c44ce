import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const id = 'bld_0123456789abcdef'
const repo = {
  repo: 'ada/site',
  branch: 'main',
  build_cmd: null,
  install_cmd: null,
  output_dir: null,
  root_dir: null,
  previews: true,
  installation_id: null,
  connected_at: '2026-01-02T03:04:05.678Z',
}
const hosted = { ...repo, clone_url: 'http://localhost:8080/git/ada/site.git' }
const build = {
  id,
  status: 'succeeded',
  branch: 'main',
  commit_sha: '0123456789abcdef0123456789abcdef01234567',
  commit_message: 'Say hello\n\nat length',
  author: 'Ada',
  deployment_id: 'dep_0123456789abcdef',
  created_at: '2026-01-02T03:04:05.678Z',
  started_at: '2026-01-02T03:04:06.678Z',
  finished_at: '2026-01-02T03:04:07.678Z',
  error: null,
}
const failed = { ...build, status: 'failed', deployment_id: null, error: 'Building failed.' }

const text = (content: string) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end(content)
}

async function run(args: string[], answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['git', ...args, '--project', 'blog'], { env }) }
}

describe('svc redeploy', () => {
  const redeploy = async (answers: Parameters<typeof standIn>[0], args: string[] = []) => {
    const api = await standIn(answers)
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    return await svc(['redeploy', ...args, '--project', 'blog'], { env })
  }
  const live = { 'GET /projects/blog': { body: { active_deployment_id: 'dep_1' } } }

  it('builds the commit of the live deployment once more', async () => {
    const result = await redeploy({
      ...live,
      'GET /projects/blog/deployments/dep_1': { body: { id: 'dep_1', build_id: 'bld_1' } },
      'POST /projects/blog/builds/bld_1/rebuild': { status: 201, body: build },
      [`GET /projects/blog/builds/${id}`]: { body: build },
      [`GET /projects/blog/builds/${id}/log?offset=0`]: text('Live: https://blog.example.com\n'),
    })
    expect(result).toMatchObject({ code: 0, stdout: 'Live: https://blog.example.com\n' })
    expect(result.stderr).toContain(`Building main at 0123456789: ${id}`)
  })

  it('says what to do with a deployment that was uploaded', async () => {
    const uploaded = { body: { id: 'dep_2', build_id: null } }
    const result = await redeploy({ 'GET /projects/blog/deployments/dep_2': uploaded }, ['dep_2'])
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('svc rollback dep_2') })
  })
})

describe('svc git', () => {
  it('shows the repository and its last builds', async () => {
    const answers = {
      'GET /projects/blog/repo': { body: hosted },
      'GET /projects/blog/builds?limit=10': { body: { builds: [build], next_cursor: null } },
      'GET /projects/blog': { body: { production_lock: null } },
    }
    const { result } = await run([], answers)
    expect(result.stdout).toBe(
      [
        'repository  ada/site',
        'production  main',
        'previews    for every other branch',
        'push to     http://localhost:8080/git/ada/site.git',
        '',
        `${id}  succeeded  main  0123456  2026-01-02 03:04  Say hello`,
        '',
      ].join('\n'),
    )
    const json = await run(['--json'], answers)
    expect(JSON.parse(json.result.stdout)).toEqual({ repo: hosted, builds: [build] })
  })

  it('puts the time and the message of a build below it on a narrow terminal, and cuts the message', async () => {
    const long = { ...build, commit_message: `Say hello ${'to everybody '.repeat(9)}` }
    const api = await standIn({
      'GET /projects/blog/repo': { body: hosted },
      'GET /projects/blog/builds?limit=10': { body: { builds: [long, build], next_cursor: null } },
      'GET /projects/blog': { body: { production_lock: null } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const { stdout } = await svc(['git', '--project', 'blog'], { env, terminal: true })
    expect(stdout.split('\n').slice(5)).toEqual([
      `${id}  succeeded  main  0123456`,
      `    2026-01-02 03:04  Say hello ${'to everybody '.repeat(9)}`.slice(0, 80),
      `${id}  succeeded  main  0123456`,
      '    2026-01-02 03:04  Say hello',
      '',
    ])
  })

  it('says how to connect one where there is none, and that a project is missing where it is', async () => {
    const none = refusal('not_found', "The project 'blog' has no repository.", 404)
    const { result } = await run([], { 'GET /projects/blog/repo': none })
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('svc git connect') })
    const gone = refusal('not_found', "There is no project 'blog' that you can act on.", 404)
    expect((await run([], { 'GET /projects/blog/repo': gone })).result.code).toBe(1)
  })

  it('connects a repository with what was said, and shows how to push to it', async () => {
    const args = ['--branch', 'trunk', '--build-cmd', 'make', '--install-cmd', 'true', '--output', 'www']
    const { api, result } = await run(['connect', 'ada/site', ...args, '--no-previews'], {
      'POST /projects/blog/repo': { body: { ...hosted, branch: 'trunk', build_id: null } },
    })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({
      repo: 'ada/site',
      branch: 'trunk',
      build_cmd: 'make',
      install_cmd: 'true',
      output_dir: 'www',
      previews: false,
    })
    expect(result.code).toBe(0)
    // At the address at which svc itself reaches the platform.
    expect(result.stdout).toContain(`git remote add svc ${api.url}/git/ada/site.git\n`)
    expect(result.stdout).toContain('git push svc trunk\n')
  })

  it('starts a build, shows its log, and fails where it fails', async () => {
    const queued = { ...build, status: 'queued', position: 2, finished_at: null }
    const answers = (end: object) => ({
      'POST /projects/blog/builds': { status: 201, body: queued },
      [`GET /projects/blog/builds/${id}`]: [{ body: queued }, { body: end }],
      [`GET /projects/blog/builds/${id}/log?offset=0`]: text(''),
    })
    const good = await run(['build'], answers(build))
    expect(good.result).toMatchObject({ code: 0, stderr: expect.stringContaining('at place 2') })
    const bad = await run(['build', '--branch', 'x'], answers(failed))
    expect(bad.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The build failed. Building failed.'),
    })
    expect(JSON.parse(bad.api.calls[0]!.body.toString())).toEqual({ branch: 'x' })
  })

  it('ends on Ctrl-C, says that the build goes on, and how to cancel it', async () => {
    const running = { ...build, status: 'building', finished_at: null }
    const api = await standIn({
      'POST /projects/blog/builds': { status: 201, body: running },
      [`GET /projects/blog/builds/${id}`]: { body: running },
      [`GET /projects/blog/builds/${id}/log?offset=0`]: text('begun\n'),
      [`GET /projects/blog/builds/${id}/log?offset=6`]: text(''),
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const interruptWhen = ({ stdout }: { stdout: string }) => stdout.includes('begun')
    for (const [args, code] of [
      [['build'], 130],
      [['log', id, '--follow'], 0],
    ] as const) {
      const result = await svc(['git', ...args, '--project', 'blog'], { env, interruptWhen })
      expect(result).toMatchObject({ code, stderr: expect.stringContaining(`svc git cancel ${id}`) })
    }
  })

  it('prints the log of the last build to stdout, and its header to stderr', async () => {
    const { result } = await run(['log'], {
      'GET /projects/blog/builds?limit=1': { body: { builds: [failed], next_cursor: null } },
      [`GET /projects/blog/builds/${id}/log?offset=0`]: text('one\ntwo\n'),
    })
    expect(result).toMatchObject({
      code: 0,
      stdout: 'one\ntwo\n',
      stderr: expect.stringContaining(`${id}  failed  main`),
    })
    const none = await run(['log'], {
      'GET /projects/blog/builds?limit=1': { body: { builds: [], next_cursor: null } },
    })
    expect(none.result.code).toBe(1)
  })

  it('shows when each line was written, and reads on where the log without these times ended', async () => {
    const ended = { ...failed, status: 'succeeded', error: null }
    const at = '2026-11-18T10:00:00.000Z'
    const path = `GET /projects/blog/builds/${id}`
    const { result } = await run(['log', id, '--follow', '--timestamps'], {
      [path]: [
        { body: { ...ended, status: 'building' } },
        { body: { ...ended, status: 'building' } },
        { body: ended },
      ],
      [`${path}/log?offset=0&timestamps=1`]: text(`${at} ü\n- two words\n`),
      [`${path}/log?offset=13&timestamps=1`]: text(''),
    })
    expect(result).toMatchObject({ code: 0, stdout: `${at} ü\n- two words\n` })
  })

  it('lists, creates and revokes deploy hooks; the URL alone goes to stdout', async () => {
    const hook = { id: 'hook_0123456789abcdef', name: 'My CMS', branch: 'next', last_used_at: null }
    const url = 'http://localhost:8080/hooks/deploy/secret'
    const added = await run(['hooks', 'add', 'My', 'CMS', '--branch', 'next'], {
      'POST /projects/blog/hooks': { status: 201, body: { ...hook, url } },
    })
    expect(JSON.parse(added.api.calls[0]!.body.toString())).toEqual({ name: 'My CMS', branch: 'next' })
    expect(added.result).toMatchObject({
      code: 0,
      stdout: `${url}\n`,
      stderr: expect.stringContaining("You won't see this URL again."),
    })
    const listed = await run(['hooks'], { 'GET /projects/blog/hooks': { body: { hooks: [hook] } } })
    expect(listed.result.stdout).toBe('hook_0123456789abcdef  My CMS  next  never used\n')
    const removed = await run(['hooks', 'rm', hook.id], {
      [`DELETE /projects/blog/hooks/${hook.id}`]: { body: { ok: true } },
    })
    expect(removed.result).toMatchObject({ code: 0, stdout: expect.stringContaining('Revoked') })
    const unknown = await run(['hooks', 'ad'], {})
    expect(unknown.result).toMatchObject({ code: 1, stderr: expect.stringContaining("'svc git hooks add'") })
    expect(unknown.api.calls).toEqual([])
    const nameless = await run(['hooks', 'add'], {})
    expect(nameless.result.stderr).toContain('Usage: svc git hooks add <name...>')
  })

  it('lists the repositories that the platform hosts, and deletes one', async () => {
    const site = {
      repo: 'ada/site',
      size_bytes: 3 * 1024 * 1024,
      size_limit_bytes: 2 * 1024 ** 3,
      projects: ['blog'],
    }
    const old = { ...site, repo: 'team/old', size_bytes: null, projects: [] }
    const api = await standIn({
      'GET /repos': { body: { repos: [site, old] } },
      'DELETE /repos/team/old': { body: { ok: true } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    expect((await svc(['git', 'repos'], { env })).stdout).toBe(
      'ada/site  3 MB of 2 GB  builds blog\nteam/old  not measured  builds nothing\n',
    )
    expect(await svc(['git', 'repos', 'rm', 'team/old'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Deleting a repository asks for its name'),
    })
    expect((await svc(['git', 'repos', 'rm', 'team/old', '--yes'], { env })).stdout).toBe(
      'Deleted team/old. Deployments stay as they are.\n',
    )
    expect(await svc(['git', 'repos', 'rm', 'old', '--yes'], { env })).toMatchObject({ code: 1 })
  })

  it('cancels a build, and disconnects', async () => {
    const cancel = { [`POST /projects/blog/builds/${id}/cancel`]: { body: { ok: true } } }
    expect((await run(['cancel', id], cancel)).result.stdout).toBe(`Cancelled ${id}.\n`)
    const { result } = await run(['disconnect'], { 'DELETE /projects/blog/repo': { body: { ok: true } } })
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('Disconnected.') })
  })
})
