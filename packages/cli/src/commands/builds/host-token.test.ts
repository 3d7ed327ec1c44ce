import { expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const url = 'https://gitlab.example.com/group/site'
const connected = { body: { repo: url, forge: 'gitlab', branch: 'main', previews: true, build_id: null } }

async function connect(args: string[], answer: object, stdin?: string) {
  const api = await standIn({ 'POST /projects/blog/repo': answer as typeof connected })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1', GITLAB_TOKEN: 'of-another-host' }
  const all = ['git', 'connect', url, ...args, '--project', 'blog']
  const result = await svc(all, { env, ...(stdin !== undefined && { stdin }) })
  return { result, sent: api.calls.map(call => JSON.parse(call.body.toString())) }
}

it('svc git connect sends the URL of a repository with the token that it reads from stdin', async () => {
  const { result, sent } = await connect(['--token', '-'], connected, 'glpat-secret\n')
  expect(result).toMatchObject({ code: 0, stdout: `Connected ${url}: pushes to main go live.\n` })
  expect(sent).toEqual([{ repo: url, access_token: 'glpat-secret' }])
})

it('svc git connect says how pushes to a public repository are built', async () => {
  const answer = { body: { ...connected.body, forge: 'public' } }
  const { result, sent } = await connect([], answer)
  expect(sent).toEqual([{ repo: url }])
  expect(result.code).toBe(0)
  expect(result.stdout).toContain(`Connected ${url}.\nThe platform is not told of pushes to it.`)
  expect(result.stdout).toContain('svc git hooks add gitlab.example.com')
})

it('svc git connect sends no token that it was not given, and passes on what the platform says', async () => {
  const needed = refusal('invalid_request', `access_token: is needed for ${url}.`, 400)
  const { result, sent } = await connect([], needed)
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('access_token: is needed') })
  expect(sent).toEqual([{ repo: url }])
})

it('svc git connect names the git host, if the caller does', async () => {
  const { sent } = await connect(['--forge', 'gitlab', '--token', '-'], connected, 'glpat-secret')
  expect(sent).toEqual([{ repo: url, forge: 'gitlab', access_token: 'glpat-secret' }])
})
