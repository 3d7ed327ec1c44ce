import { describe, expect, it } from 'vitest'
import { device, refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const connected = {
  body: {
    repo: 'ada/site',
    forge: 'github',
    branch: 'main',
    previews: true,
    installation_id: 7,
    build_id: null,
  },
}
const installUrl = 'https://github.com/apps/my-svc/installations/new'
const noAccess = refusal('not_found', "You cannot use 'ada/site' at GitHub.", 404)
const github = (linked: boolean) => ({ body: { installations: [], install_url: installUrl, linked } })

async function run(args: string[], answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['git', ...args, '--project', 'blog'], { env }) }
}

describe('svc git connect, with a repository at GitHub', () => {
  it('shows where the GitHub App is installed, waits until it is, and connects', async () => {
    const { api, result } = await run(['connect', 'ada/site', '--forge', 'github'], {
      'POST /projects/blog/repo': [noAccess, noAccess, refusal('unavailable', 'Later.', 503), connected],
      'GET /github': github(true),
    })
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Waiting until it is installed'),
    })
    expect(result.stdout).toContain(`Install its GitHub App there: ${installUrl}`)
    expect(result.stdout).toContain('Connected ada/site: pushes to main go live.')
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ repo: 'ada/site', forge: 'github' })
  })

  it('links an account that GitHub does not know first', async () => {
    const { api, result } = await run(['connect', 'ada/site'], {
      'POST /projects/blog/repo': [noAccess, connected],
      'GET /github': github(false),
      'POST /github/link': { body: device },
      'POST /auth/device/poll': { body: { token: '' } },
    })
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('Your code: ABCD-EFGH') })
    expect(api.keys()).toEqual([
      'POST /projects/blog/repo',
      'GET /github',
      'POST /github/link',
      'POST /auth/device/poll',
      'POST /projects/blog/repo',
    ])
  })

  it('asks for the password before it links an account, and says so where it cannot ask', async () => {
    const { result } = await run(['link'], {
      'POST /github/link': refusal('invalid_request', 'password or passkey: one is required'),
    })
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toContain("Run 'svc git link' in a terminal, or link it in the dashboard")
  })

  it('unlinks the account with the password that it reads', async () => {
    const api = await standIn({
      'GET /me/security': { body: { github: true, github_login: 'ada' } },
      'POST /github/unlink': { body: { ok: true } },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const result = await svc(['git', 'unlink'], { env, stdin: 'correct horse battery\n' })
    expect(result).toMatchObject({ code: 0, stdout: 'Your account is no longer linked to a GitHub user.\n' })
    expect(JSON.parse(api.calls[1]!.body.toString())).toEqual({ password: 'correct horse battery' })
  })

  it('fails at once for a project that is missing, on a platform without GitHub, and for an unknown forge', async () => {
    const gone = refusal('not_found', "There is no project 'blog' that you can act on.", 404)
    const missing = await run(['connect', 'ada/site'], {
      'POST /projects/blog/repo': gone,
      'GET /github': github(true),
    })
    expect(missing.result).toMatchObject({ code: 1, stderr: expect.stringContaining('no project') })
    const builtin = { body: { installations: [], install_url: null } }
    const without = await run(['connect', 'eve/site'], {
      'POST /projects/blog/repo': noAccess,
      'GET /github': builtin,
    })
    expect(without.result).toMatchObject({ code: 1, stderr: expect.stringContaining('You cannot use') })
    const unknown = await run(['connect', 'ada/site', '--forge', 'bitbucket'], {})
    expect(unknown.result).toMatchObject({ code: 1, stderr: expect.stringContaining("not 'bitbucket'") })
  })
})

describe('svc git', () => {
  it('says that a repository is at GitHub', async () => {
    const { result } = await run([], {
      'GET /projects/blog/repo': connected,
      'GET /projects/blog/builds?limit=10': { body: { builds: [], next_cursor: null } },
      'GET /projects/blog': { body: {} },
    })
    expect(result.stdout).toContain('repository  ada/site at GitHub\n')
  })
})
