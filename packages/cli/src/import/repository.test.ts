// The repository that svc import connects.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, project, refusal, standIn } from '../testing/api.ts'
import { svc, temporaryDirectory, token } from '../testing/svc.ts'
import { created, vercelJson } from './testing/run-import.ts'

const noRepo = refusal('not_found', "The project 'site-1' has no repository.", 404)

describe('the repository', () => {
  const hosted = { repo: 'ada/site-1', branch: 'main', clone_url: 'http://localhost:8080/git/ada/site-1.git' }

  /** A repository with a remote, and the settings that a connection should carry. */
  function repository(remote?: string) {
    const files = vercelJson({
      buildCommand: 'make',
      installCommand: '',
      outputDirectory: 'www',
      git: { deploymentEnabled: false },
    })
    const cwd = temporaryDirectory(files)
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'master'], { cwd })
    if (remote) execFileSync('git', ['remote', 'add', 'origin', remote], { cwd })
    return cwd
  }

  async function connect(cwd: string, answers: Parameters<typeof standIn>[0], args: string[] = []) {
    const api = await standIn({
      'POST /projects': created,
      'GET /projects/site-1': { body: project('site-1') },
      'GET /projects/site-1/repo': noRepo,
      ...answers,
    })
    const result = await svc(['import', '--project', 'site-1', ...args], {
      cwd,
      env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    const bodies = api.calls
      .filter(({ key }) => key === 'POST /projects/site-1/repo')
      .map(({ body }) => JSON.parse(body.toString()))
    return { result, bodies }
  }

  it('at GitHub is connected with its branch and the build settings', async () => {
    const cwd = repository('git@github.com:acme/site.git')
    const { result, bodies } = await connect(cwd, {
      'POST /projects/site-1/repo': { body: { ...hosted, repo: 'acme/site', branch: 'master' } },
    })
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Connected acme/site: pushes to master go live.'),
    })
    expect(bodies).toEqual([
      {
        repo: 'acme/site',
        forge: 'github',
        branch: 'master',
        build_cmd: 'make',
        install_cmd: 'true',
        output_dir: 'www',
        previews: false,
      },
    ])
    const other = await connect(cwd, { 'POST /projects/site-1/repo': { body: hosted } }, [
      '--branch',
      'release',
    ])
    expect(other.bodies).toMatchObject([{ branch: 'release' }])
  })

  it('is made on the platform if GitHub is not available there', async () => {
    const { result, bodies } = await connect(repository('https://user:secret@github.com/acme/site'), {
      'POST /projects/site-1/repo': [refusal('not_found', 'You cannot use it.', 404), { body: hosted }],
      'GET /github': { body: { installations: [], install_url: null } },
      'GET /me': { body: account },
    })
    expect(result.code).toBe(0)
    expect(bodies.map(({ repo }) => repo)).toEqual(['acme/site', 'ada/site-1'])
    expect(result.stdout).toContain('git remote add svc http://localhost:8080/git/ada/site-1.git')
    expect(result.stdout + result.stderr).not.toContain('secret')
  })

  it('asks for the installation of the app if GitHub is available', async () => {
    const { result } = await connect(repository('https://github.com/acme/site.git'), {
      'POST /projects/site-1/repo': refusal('not_found', 'The app is not installed.', 404),
      'GET /github': { body: { installations: [], install_url: 'https://github.com/apps/svc' } },
    })
    expect(result.code).toBe(0)
    expect(result.stderr).toContain('svc git connect acme/site --branch master --build-cmd make')
  })

  it('that is connected already stays', async () => {
    const { result } = await connect(repository(), { 'GET /projects/site-1/repo': { body: hosted } })
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ada/site-1 is connected already.'),
    })
  })

  it('of a monorepo gets the folder that was imported', async () => {
    const cwd = repository()
    mkdirSync(join(cwd, 'apps/web'), { recursive: true })
    writeFileSync(join(cwd, 'apps/web/vercel.json'), '{}')
    const { bodies } = await connect(join(cwd, 'apps/web'), {
      'GET /me': { body: account },
      'POST /projects/site-1/repo': { body: hosted },
    })
    expect(bodies).toEqual([{ repo: 'ada/site-1', forge: 'builtin', branch: 'master', root_dir: 'apps/web' }])
  })
})
