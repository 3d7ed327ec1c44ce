import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

/** A linked directory with a git repository, after `svc git connect`. */
async function connected(
  before: (git: (...args: string[]) => string) => void = () => undefined,
  { folder = '.', options = [] as string[], build_id = null as string | null, host = '127.0.0.1' } = {},
) {
  const dir = temporaryDirectory({ [`${folder}/svc.json`]: '{"project":"blog"}' })
  const answers: Parameters<typeof standIn>[0] = {}
  const api = await standIn(answers)
  const url = `${api.url}/git/ada/site.git`
  answers['POST /projects/blog/repo'] = {
    body: { repo: 'ada/site', branch: 'main', clone_url: url.replace('127.0.0.1', host), build_id },
  }
  answers[`GET /projects/blog/builds/${build_id}`] = { body: { id: build_id, status: 'succeeded' } }
  answers[`GET /projects/blog/builds/${build_id}/log?offset=0`] = (_, response) => response.end('built\n')
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const git = (input: string | undefined, ...args: string[]) =>
    execFileSync('git', args, {
      cwd: dir,
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        ...env,
        PATH: process.env.PATH,
        HOME: dir,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_ASKPASS: 'true',
      },
    })
  git(undefined, 'init', '--quiet')
  before((...args) => git(undefined, ...args))
  const result = await svc(['git', 'connect', 'ada/site', ...options], { env, cwd: `${dir}/${folder}` })
  /** What git would send to this URL. */
  const credentialFor = (target: string) => {
    const { protocol, host } = new URL(target)
    return git(`protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`, 'credential', 'fill')
  }
  return { url, result, credentialFor, git: (...args: string[]) => git(undefined, ...args) }
}

describe('svc git connect in a git repository', () => {
  it('adds the remote svc, and lets git ask svc for the token', async () => {
    const { url, result, git, credentialFor } = await connected()
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('git push svc main\n') })
    expect(git('remote', 'get-url', 'svc')).toBe(`${url}\n`)
    expect(credentialFor(url)).toContain(`password=${token}\n`)
    expect(git('config', '--local', '--list')).not.toContain(token)
  })

  it('adds the remote also if the repository has commits, and then shows their build', async () => {
    const { url, result, git } = await connected(undefined, { build_id: 'bld_0123456789abcdef' })
    expect(git('remote', 'get-url', 'svc')).toBe(`${url}\n`)
    expect(result.code).toBe(0)
    expect(result.stdout).toMatch(/git push svc main\n(.*\n)*built\n/)
  })

  it('adds the remote at the address of svc where the platform names another one of its own', async () => {
    const { url, git, credentialFor } = await connected(undefined, { host: 'localhost' })
    expect(git('remote', 'get-url', 'svc')).toBe(`${url}\n`)
    expect(credentialFor(url)).toContain(`password=${token}\n`)
  })

  it('adds no remote to the repository around a folder, which a push would send as a whole', async () => {
    const { result, git } = await connected(undefined, { folder: 'my site' })
    expect(git('remote')).toBe('')
    expect(result).toMatchObject({ code: 0, stdout: 'Connected ada/site: pushes to main go live.\n' })
    expect(result.stderr).toContain('Warning: This folder is a part of the git repository /')
    expect(result.stderr).toContain('git init -b main && svc git connect ada/site\n')
    expect(result.stderr).toContain("svc git connect ada/site --root 'my site'\n")
  })

  it('adds the remote to the repository around a folder if the folder is named', async () => {
    const { url, git } = await connected(undefined, { folder: 'site', options: ['--root', 'site'] })
    expect(git('remote', 'get-url', 'svc')).toBe(`${url}\n`)
  })

  it('gives the token to no other host', async () => {
    const { url, credentialFor } = await connected(git => git('config', 'credential.helper', ''))
    expect(credentialFor(url)).toContain(token)
    const other = credentialFor('http://127.0.0.1:1/')
    expect(other).not.toContain(token)
  })

  it('stops reading what git asks for after 64 KB', async () => {
    const env = { SVC_API_URL: 'http://127.0.0.1:1', SVC_TOKEN: token }
    const input = { stdin: 'x'.repeat(70_000), stdinStaysOpen: true }
    expect(await svc(['git', 'credential', 'get'], { env, ...input })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^svc: More than 64 KB came on stdin\./),
    })
  })

  it('lets no other credential helper store the token', async () => {
    const { url, git } = await connected(git => git('config', 'credential.helper', 'store'))
    expect(git('config', '--get-all', `credential.${new URL(url).origin}.helper`)).toMatch(
      /^\n!'.*' git credential\n$/,
    )
  })

  it('leaves a remote svc of another URL as it is, and shows how to push', async () => {
    const { url, result, git } = await connected(git =>
      git('remote', 'add', 'svc', 'https://other.example/x.git'),
    )
    expect(git('remote', 'get-url', 'svc')).toBe('https://other.example/x.git\n')
    expect(result.stdout).toContain(`git remote add svc ${url}`)
    expect(git('config', '--local', '--list')).not.toContain('credential')
  })
})
