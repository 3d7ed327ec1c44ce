import { expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const variable = (key: string, value: string, change = {}) => ({
  ...{ key, value, scope: 'runtime', environments: ['production', 'preview'], branch: null, secret: false },
  ...change,
})

async function run(args: string[], files: Record<string, string>, env = {}) {
  const variables = [
    variable('GREETING', 'hello'),
    variable('OF', 'production', { environments: ['production'] }),
    variable('OF', 'previews', { environments: ['preview'] }),
    variable('KEY', '', { secret: true }),
  ]
  const api = await standIn({ 'GET /projects/blog/env': { body: { env: variables } } })
  const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}', ...files })
  return await svc(['dev', ...args], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token, ...env } })
}

const show = 'console.log(process.env.GREETING, process.env.OF, process.env.KEY, process.env.SVC_TOKEN)'

it('the dev script runs with the variables of previews, without secrets and without the token', async () => {
  const result = await run([], {
    'package.json': JSON.stringify({ scripts: { dev: 'node show.cjs', start: 'exit 1' } }),
    'show.cjs': show,
  })
  expect(result.stdout).toContain('hello previews undefined undefined\n')
  expect(result.stderr).toContain('Running with 2 variables of preview: npm run dev\n')
  expect(result.stderr).toContain('Secret, so not set: KEY.')
  expect(result.code).toBe(0)
})

it('the dev script runs with the package manager that package.json names, without a lock file, too', async () => {
  const manifest = JSON.stringify({ scripts: { dev: 'node show.cjs' }, packageManager: 'pnpm@9' })
  const { stderr } = await run([], { 'package.json': manifest })
  expect(stderr).toContain(': pnpm run dev')
})

it('a command that is named runs in place of the script, and its exit code is passed on', async () => {
  const args = ['--environment', 'production', '--', 'node', 'show.cjs']
  const files = { 'show.cjs': `${show}; process.exit(7)` }
  const result = await run(args, files, { GREETING: 'of the shell' })
  expect([result.code, result.stdout]).toEqual([7, 'of the shell production undefined undefined\n'])
})

it('a directory without such a script says what to do', async () => {
  const result = await run([], { 'package.json': '{}' })
  expect(result.code).toBe(1)
  expect(result.stderr).toContain("Name the command: 'svc dev -- node server.js'")
})

it('Ctrl-C ends the command, and svc waits for it', async () => {
  const script = 'process.on("SIGINT", () => process.exit(0)); console.log("up"); setInterval(() => 0, 1000)'
  const api = await standIn({ 'GET /projects/blog/env': { body: { env: [] } } })
  const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}', 'serve.cjs': script })
  const { code } = await svc(['dev', '--', 'exec', 'node', 'serve.cjs'], {
    cwd,
    env: { SVC_API_URL: api.url, SVC_TOKEN: token },
    interruptWhen: ({ stdout }) => stdout.includes('up'),
  })
  expect(code).toBe(0)
})
