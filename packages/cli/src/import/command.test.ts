import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, refusal } from '../testing/api.ts'
import { svc, temporaryDirectory, token } from '../testing/svc.ts'
import { realProjects } from './testing/projects.ts'
import { reports } from './testing/reports.ts'
import { created, noCrons, noEnv, runImport, vercelJson } from './testing/run-import.ts'

describe('the report of svc import', () => {
  it.each(Object.keys(realProjects) as (keyof typeof realProjects)[])(
    'for %s is complete, and a dry run changes nothing',
    async name => {
      const { api, cwd, result } = await runImport(realProjects[name], {}, ['--dry-run'])
      expect(result).toEqual({ code: 0, stdout: reports[name], stderr: '' })
      expect(api.calls).toEqual([])
      expect(readdirSync(cwd, { recursive: true }).filter(path => String(path).includes('svc.json'))).toEqual(
        [],
      )
      for (const [path, text] of Object.entries(realProjects[name]))
        expect(readFileSync(join(cwd, path), 'utf8')).toBe(text)
    },
  )

  it('is printed as JSON, without the values of variables', async () => {
    const { result } = await runImport(realProjects.viteApp, {}, ['--dry-run', '--json'])
    const plan = JSON.parse(result.stdout)
    expect(plan).toMatchObject({
      platform: 'vercel',
      project: 'site-1',
      framework: 'Vite',
      kind: 'static',
      variables: [{ key: 'VITE_API_URL', scope: 'both', source: '.env' }, { key: 'VITE_STRIPE_KEY' }],
    })
    expect(result.stdout).not.toContain('pk_live_1')
    const alone = await runImport(realProjects.viteApp, {}, ['--json'])
    expect(alone.result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--dry-run') })
  })
})

it('of a folder whose name is too short says how to pass another name', async () => {
  const top = temporaryDirectory({ 'ab/vercel.json': '{}' })
  const { stderr } = await svc(['import'], { cwd: join(top, 'ab') })
  expect(stderr).toContain("'ab' gives no project name")
  expect(stderr).toContain('Pass one: svc import --project <name>\n')
})

describe('hard incompatibilities', () => {
  const cases: [string, Record<string, string>, string][] = [
    [
      'a runtime of the community',
      vercelJson({ functions: { 'api/a.php': { runtime: 'vercel-php@0.7.3' } } }),
      'vercel-php@0.7.3 is not supported',
    ],
    ['a Python function', { ...vercelJson({}), 'api/hello.py': '' }, 'Python function runtime'],
    ['a Go function', { ...vercelJson({}), 'api/v1/[id].go': '' }, 'Go function runtime'],
    [
      'an old builder',
      vercelJson({ version: 2, builds: [{ src: 'index.py', use: '@vercel/python' }] }),
      '@vercel/python is not supported',
    ],
    ['edge middleware', { ...vercelJson({}), 'middleware.ts': '' }, 'Edge middleware is not supported'],
    [
      'a Go function of Netlify',
      { 'netlify.toml': '', 'netlify/functions/hello/main.go': '' },
      'Go function runtime',
    ],
    [
      'edge functions',
      { 'netlify.toml': '', 'netlify/edge-functions/auth.ts': '' },
      'edge functions (Deno) are not supported',
    ],
    [
      'declared edge functions',
      { 'netlify.toml': '[[edge_functions]]\nfunction = "auth"\npath = "/*"' },
      'edge functions (Deno)',
    ],
  ]

  it.each(cases)('%s stops the import before anything is created', async (_, files, words) => {
    const { api, cwd, result } = await runImport(files, {})
    expect(result.code).toBe(1)
    expect(result.stdout).toContain('Cannot be imported:')
    expect(result.stdout).toContain(words)
    expect(result.stdout).not.toContain('Plan')
    expect(result.stderr).toContain('Nothing was created.')
    expect(api.calls).toEqual([])
    expect(existsSync(join(cwd, 'svc.json'))).toBe(false)
  })
})

describe('the platform', () => {
  it('is asked for if there are traces of both', async () => {
    const { result } = await runImport({ 'vercel.json': '{}', 'netlify.toml': '' }, {})
    expect(result).toMatchObject({
      code: 1,
      stderr:
        'svc: There are traces of two platforms here: vercel.json, netlify.toml. Name one: svc import vercel, or svc import netlify.\n',
    })
    const named = await runImport({ 'vercel.json': '{}', 'netlify.toml': '' }, {}, ['netlify', '--dry-run'])
    expect(named.result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Import from Netlify/) })
  })

  it('must be named if there are no traces, and can then be imported all the same', async () => {
    const none = await runImport({ 'index.html': 'hi' }, {})
    expect(none.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing of Vercel or Netlify was found here'),
    })
    const named = await runImport({ 'index.html': 'hi' }, {}, ['vercel', '--dry-run'])
    expect(named.result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('everything is translated'),
    })
  })

  it('is refused if it is another one', async () => {
    const { result } = await runImport({}, {}, ['heroku'])
    expect(result).toMatchObject({
      code: 1,
      stderr: "svc: Unknown platform 'heroku'. Use: svc import vercel, or svc import netlify.\n",
    })
  })
})

describe('svc import', () => {
  const files = {
    ...vercelJson({
      redirects: [{ source: '/old', destination: '/new', permanent: true }],
      headers: [{ source: '/(.*)', headers: [{ key: 'X-Frame-Options', value: 'DENY' }] }],
      crons: [{ path: '/api/cron', schedule: '0 5 * * *' }],
      env: { LEGACY: '@secret-name' },
      buildCommand: 'make',
      outputDirectory: 'www',
    }),
    '.env': 'API_URL=https://x.example\nPORT=3000\nVERCEL_URL=a\n',
    'public/_redirects': '/mine /own 301\n',
  }
  const answers = () => ({
    'POST /projects': created,
    'GET /projects/site-1/env': noEnv,
    'PUT /projects/site-1/env/API_URL': { body: { key: 'API_URL', scope: 'both', restarting: null } },
    'GET /projects/site-1/crons': noCrons,
    'POST /projects/site-1/crons': { status: 201, body: { id: 'cron_1' } },
  })

  it('creates the project, then variables, jobs and rules, and ends with the checklist', async () => {
    const { api, cwd, result } = await runImport(files, answers(), ['--org', 'acme'])
    expect(result.stderr).toBe('Warning: site-1 exists already and is your own; it is not in acme.\n')
    expect(result.code).toBe(0)
    expect(api.keys()).toEqual([
      'POST /projects',
      'GET /projects/site-1/env',
      'PUT /projects/site-1/env/API_URL',
      'GET /projects/site-1/crons',
      'POST /projects/site-1/crons',
    ])
    const bodies = api.calls.map(({ body }) => (body.length > 0 ? JSON.parse(body.toString()) : undefined))
    expect(bodies).toEqual([
      { name: 'site-1', org: 'acme' },
      undefined,
      { value: 'https://x.example', scope: 'both' },
      undefined,
      { path: '/api/cron', schedule: '0 5 * * *' },
    ])
    expect(JSON.parse(readFileSync(join(cwd, 'svc.json'), 'utf8'))).toEqual({ project: 'site-1' })
    expect(readFileSync(join(cwd, 'public/_redirects'), 'utf8')).toBe(
      [
        '/mine /own 301',
        "# Begin of what 'svc import' wrote. Running it again replaces this part.",
        '/old /new 308!',
        "# End of what 'svc import' wrote.",
        '',
      ].join('\n'),
    )
    expect(readFileSync(join(cwd, 'public/_headers'), 'utf8')).toContain('/*\n  X-Frame-Options: DENY\n')
    expect(result.stdout).toContain(
      'exists and keeps its lines; these are added below them:\n    /old /new 308!',
    )
    expect(result.stdout).toContain('svc env set LEGACY - --scope both --project site-1')
    expect(result.stdout.indexOf('DNS cutover checklist')).toBeGreaterThan(
      result.stdout.indexOf('Added 1 scheduled job.'),
    )
    expect(result.stdout).toContain('svc domains add <your-domain> --project site-1')
  })

  it('says how far it came when a step fails, and goes on when it is run again', async () => {
    const failing = {
      ...answers(),
      'GET /projects/site-1/crons': [refusal('internal', 'Down.', 500), noCrons.body && noCrons],
    }
    const { api, cwd, result, again } = await runImport(files, {
      ...failing,
      'GET /projects/site-1': { body: project('site-1') },
      'GET /projects/site-1/env': [
        noEnv,
        { body: { env: [{ key: 'API_URL', value: 'https://x.example', scope: 'both' }] } },
      ],
    })
    expect(result.code).toBe(1)
    expect(result.stderr).toContain(
      'The import ended at: scheduled jobs. Done before: the project, variables, secrets.',
    )
    expect(result.stderr).toContain("Run 'svc import' again")
    expect(existsSync(join(cwd, 'public/_headers'))).toBe(false)
    const before = api.calls.length
    expect(await again()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('This directory is already linked to site-1.'),
    })
    expect(api.keys().slice(before)).toEqual([
      'GET /projects/site-1',
      'GET /projects/site-1/env',
      'GET /projects/site-1/crons',
      'POST /projects/site-1/crons',
    ])
    expect(existsSync(join(cwd, 'public/_headers'))).toBe(true)
  })

  it('leaves alone what an earlier import made, and values that were changed since', async () => {
    const { cwd, result } = await runImport(files, {
      ...answers(),
      'GET /projects/site-1/env': { body: { env: [{ key: 'API_URL', value: 'changed', scope: 'runtime' }] } },
      'GET /projects/site-1/crons': {
        body: { crons: [{ id: 'cron_1', schedule: '0 5 * * *', path: '/api/cron' }] },
      },
    })
    expect(result.code).toBe(0)
    expect(result.stderr).toContain('Kept, since they have other values here: API_URL')
    expect(result.stdout).toContain('Added 0 scheduled jobs.')
    const once = readFileSync(join(cwd, 'public/_redirects'), 'utf8')
    const env = { SVC_API_URL: 'http://127.0.0.1:9', SVC_TOKEN: token }
    const dry = await svc(['import', '--dry-run'], { cwd, env })
    expect(dry.stdout).toContain('public/_redirects holds these lines already:')
    expect(readFileSync(join(cwd, 'public/_redirects'), 'utf8')).toBe(once)
  })

  it('goes on past a job that the platform refuses, and then fails with its name', async () => {
    const { result, cwd } = await runImport(files, {
      ...answers(),
      'POST /projects/site-1/crons': refusal('invalid_request', 'The schedule never comes.', 400),
    })
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('except for:\n  - the job 0 5 * * * /api/cron: The schedule never comes.')
    expect(existsSync(join(cwd, 'public/_headers'))).toBe(true)
  })

  it('needs a login only when it has shown the report', async () => {
    const cwd = temporaryDirectory(files)
    const result = await svc(['import', '--project', 'site-1'], {
      cwd,
      env: { SVC_API_URL: 'http://127.0.0.1:9' },
    })
    expect(result).toMatchObject({
      code: 1,
      stderr: "svc: Not logged in. Run 'svc login' first.\n",
      stdout: expect.stringContaining('Plan'),
    })
    expect(existsSync(join(cwd, 'svc.json'))).toBe(false)
  })

  it('takes the name of the directory as svc init does', async () => {
    const parent = temporaryDirectory({ 'My Site/vercel.json': '{}' })
    const result = await svc(['import', '--dry-run'], { cwd: join(parent, 'My Site') })
    expect(result.stdout).toContain('project     my-site\n')
  })
})
