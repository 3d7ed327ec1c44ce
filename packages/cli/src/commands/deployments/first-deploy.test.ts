import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, device, project, refusal, standIn } from '../../testing/api.ts'
import { binary, svc, temporaryDirectory, token } from '../../testing/svc.ts'
import { atTerminal } from '../../testing/terminal.ts'

const unknown = refusal('not_found', 'There is no such project.', 404)
const deployed = {
  deployment_id: 'dep_aaaaaaaaaaaaaaaa',
  url: 'http://my-site.localhost:8080',
  expires_at: null,
  warnings: [],
}
const deploys = (name: string) => ({
  [`POST /projects/${name}/deployments`]: { status: 201, body: deployed },
})
const logsIn = {
  'POST /auth/device': { body: device },
  'POST /auth/device/poll': { body: { token } },
  'GET /me': { body: account },
}

/** An account that never used svc, in a directory with a site. */
async function deploy(scripts: Parameters<typeof standIn>[0], typed: [string, string][], env = {}) {
  const api = await standIn(scripts)
  const cwd = temporaryDirectory({ 'index.html': 'hello' })
  const result = await atTerminal(`exec node ${binary} deploy`, {
    cwd,
    env: { HOME: cwd, BROWSER: 'false', NO_COLOR: '1', SVC_API_URL: api.url, ...env },
    typed,
  })
  const link = join(cwd, 'svc.json')
  return { ...result, api, link: existsSync(link) ? JSON.parse(readFileSync(link, 'utf8')) : undefined }
}

describe('the first svc deploy at a terminal', () => {
  it('leads from the login through the name of the project to the URL of the site', async () => {
    const { code, shown, api, link } = await deploy(
      {
        ...logsIn,
        'GET /projects/my-site': unknown,
        'POST /projects': { status: 201, body: project('my-site') },
        ...deploys('my-site'),
      },
      [['Name of the project', 'my-site\n']],
    )
    expect([code, link]).toEqual([0, { project: 'my-site' }])
    expect(shown).toContain('You are not logged in yet.\nYour code: ABCD-EFGH\n')
    expect(shown).toContain('Created my-site and linked this directory to it (svc.json).')
    expect(shown.trimEnd().split('\n').at(-1)).toBe('http://my-site.localhost:8080')
    expect(api.keys().slice(-3)).toEqual([
      'GET /projects/my-site',
      'POST /projects',
      'POST /projects/my-site/deployments',
    ])
  })

  it('asks again for a name that cannot be used, and before it deploys to a project that is there', async () => {
    const { code, shown, link } = await deploy(
      {
        'GET /projects/taken': unknown,
        // It is said of both names, and one of them belongs to the user.
        'POST /projects': refusal('name_taken', 'Taken.', 409),
        'GET /projects/blog': { body: project('blog') },
        ...deploys('blog'),
      },
      [
        ['Name of the project', 'No!\n'],
        ['Name of the project', 'taken\n'],
        ['Name of the project', 'blog\n'],
        ['Deploy to it? [y/N]', 'y\n'],
      ],
      { SVC_TOKEN: token },
    )
    expect(shown).toContain("Invalid project name 'No!'")
    expect(shown).toContain("The name 'taken' is already taken.")
    expect([code, link]).toEqual([0, { project: 'blog' }])
  })

  it('deploys nothing to a project that the user did not mean', async () => {
    const { code, shown, api, link } = await deploy(
      { 'GET /projects/blog': { body: project('blog') } },
      [
        ['Name of the project', 'blog\n'],
        ['Deploy to it? [y/N]', 'n\n'],
        ['Name of the project', 'blog\n'],
        ['Deploy to it? [y/N]', '\n'],
        ['Name of the project', '-\n'],
      ],
      { SVC_TOKEN: token },
    )
    expect([code, link]).toEqual([1, undefined])
    expect(shown).toContain('Give the project another name.')
    expect(new Set(api.keys())).toEqual(new Set(['GET /projects/blog']))
  })

  it('creates no project at Ctrl-D', async () => {
    const { code, shown, api, link } = await deploy({}, [['Name of the project', '\x04']], {
      SVC_TOKEN: token,
    })
    expect([code, link, api.keys()]).toEqual([1, undefined, []])
    expect(shown.trimEnd().split('\n').at(-1)).toBe('svc: There was no answer, so nothing more was done.')
  })

  it('creates no project for an empty folder', async () => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    expect(await svc(['deploy'], { cwd: temporaryDirectory(), env, terminal: true })).toMatchObject({
      code: 1,
      stderr: 'svc: Nothing to deploy: no files found in this folder.\n',
    })
    expect(api.calls).toEqual([])
  })

  it('asks nothing of a script, nor with --yes', async () => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, NO_COLOR: '1' }
    for (const terminal of [false, true]) {
      const args = terminal ? ['deploy', '--yes'] : ['deploy']
      const result = await svc(args, { cwd: temporaryDirectory({ 'index.html': 'hello' }), env, terminal })
      expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/^svc: No linked project here/) })
    }
    expect(api.calls).toEqual([])
  })
})
