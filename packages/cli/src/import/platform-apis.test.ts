// The APIs of the other platforms, as strict stand-ins on loopback: they check method, path, query and token.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { send, standIn } from '../testing/api.ts'
import { svc, temporaryDirectory, token } from '../testing/svc.ts'
import { created, noCrons, noEnv } from './testing/run-import.ts'

const secretToken = 'tok_of_the_other_platform'

type Answer = unknown | ((request: IncomingMessage, response: ServerResponse) => void)

/** Answers only GET, only with the right token, and only what is scripted; everything else ends the test. */
async function otherPlatform(
  answers: Record<string, Answer>,
): Promise<{ url: string; asked: string[]; mistakes: string[] }> {
  const asked: string[] = []
  const mistakes: string[] = []
  const server = createServer((request, response) => {
    const target = request.url ?? ''
    asked.push(target)
    if (request.method !== 'GET') mistakes.push(`${request.method} ${target}`)
    if (request.headers.authorization !== `Bearer ${secretToken}`) mistakes.push(`the token for ${target}`)
    if (!Object.hasOwn(answers, target)) {
      mistakes.push(`nobody expected ${target}`)
      return send(response, { status: 599, body: {} })
    }
    const answer = answers[target]
    if (typeof answer === 'function') return answer(request, response)
    send(response, { body: answer })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, mistakes }
}

const status =
  (code: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    send(response, { status: code, body })
  }

const vercelFiles = {
  'vercel.json': '{"outputDirectory":"out"}',
  '.vercel/project.json': '{"projectId":"prj_1","orgId":"team_9"}',
  '.env': 'API_URL=from-the-file\nLOCAL=1\n',
}

const vercelAnswers: Record<string, Answer> = {
  '/v9/projects/prj_1?teamId=team_9': {
    framework: 'vite',
    buildCommand: 'pnpm build',
    installCommand: null,
    outputDirectory: 'dist',
    rootDirectory: null,
    link: { type: 'github', org: 'acme', repo: 'shop', productionBranch: 'trunk' },
    crons: { definitions: [{ path: '/api/tick', schedule: '*/5 * * * *' }] },
    ssoProtection: { deploymentType: 'preview' },
  },
  '/v9/projects/prj_1/env?teamId=team_9&decrypt=true': {
    envs: [
      {
        id: 'e1',
        key: 'API_URL',
        type: 'encrypted',
        value: 'from-vercel',
        decrypted: true,
        target: ['production', 'preview'],
      },
      {
        id: 'e2',
        key: 'SEALED',
        type: 'encrypted',
        value: 'c2VhbGVk',
        decrypted: false,
        target: ['production'],
      },
      { id: 'e3', key: 'STRIPE', type: 'sensitive', value: '', target: ['production'] },
      { id: 'e4', key: 'ONLY_PREVIEW', type: 'plain', value: 'x', target: ['preview'] },
      { id: 'e5', key: 'VERCEL_URL', type: 'system', value: '', target: ['production'] },
      { id: 'e6', key: 'OF_A_BRANCH', type: 'plain', value: 'x', target: ['preview'], gitBranch: 'next' },
      { id: 'e7', key: 'PLAIN', type: 'plain', value: 'p', target: 'production' },
    ],
  },
  '/v1/projects/prj_1/env/e2?teamId=team_9': { id: 'e2', key: 'SEALED', value: 'opened', decrypted: true },
  '/v9/projects/prj_1/domains?teamId=team_9&limit=100': {
    domains: [{ name: 'acme.dev' }, { name: 'shop.vercel.app' }],
    pagination: { count: 2, next: 1700000000000 },
  },
  '/v9/projects/prj_1/domains?teamId=team_9&limit=100&until=1700000000000': {
    domains: [{ name: 'www.acme.dev', redirect: 'acme.dev' }],
    pagination: { count: 1, next: null },
  },
}

function importFrom(
  platform: 'vercel' | 'netlify',
  files: Record<string, string>,
  url: string,
  args: string[] = [],
) {
  const name = platform === 'vercel' ? 'VERCEL' : 'NETLIFY'
  return svc(['import', platform, '--project', 'site-1', '--dry-run', ...args], {
    cwd: temporaryDirectory(files),
    env: {
      [`${name}_API_URL`]: url,
      [platform === 'vercel' ? 'VERCEL_TOKEN' : 'NETLIFY_AUTH_TOKEN']: secretToken,
      SVC_TIMEOUT: '60',
    },
  })
}

describe('the API of Vercel', () => {
  it('gives settings, variables, jobs, domains and the repository of a linked directory', async () => {
    const { url, mistakes } = await otherPlatform(vercelAnswers)
    const { code, stdout } = await importFrom('vercel', vercelFiles, url, ['--json'])
    expect({ code, mistakes }).toEqual({ code: 0, mistakes: [] })
    const plan = JSON.parse(stdout)
    expect(plan).toMatchObject({
      framework: 'Vite',
      // The file wins over the settings.
      build: { build_cmd: 'pnpm build', output_dir: 'out' },
      crons: [{ path: '/api/tick', schedule: '*/5 * * * *' }],
      secrets: ['STRIPE'],
      repository: 'acme/shop',
      branch: 'trunk',
      domains: ['acme.dev', 'www.acme.dev'],
    })
    expect(plan.variables).toEqual([
      { key: 'API_URL', scope: 'both', source: 'Vercel' },
      { key: 'LOCAL', scope: 'both', source: '.env' },
      { key: 'SEALED', scope: 'both', source: 'Vercel' },
      { key: 'PLAIN', scope: 'both', source: 'Vercel' },
    ])
    const words = plan.findings.map(({ text }: { text: string }) => text).join('\n')
    expect(words).toContain('ONLY_PREVIEW, OF_A_BRANCH: only for previews or development')
    expect(words).toContain('https://www.acme.dev/* https://acme.dev/:splat 308!')
    expect(words).toContain('the site is protected at Vercel')
    expect(stdout).not.toMatch(/opened|from-vercel|tok_of/)
  })

  it('is asked without a team for a personal project, with the token of the option', async () => {
    const alone = Object.fromEntries(
      Object.entries(vercelAnswers).map(([target, answer]) => [
        target.replace('teamId=team_9&', '').replace('?teamId=team_9', ''),
        answer,
      ]),
    )
    const { url, mistakes } = await otherPlatform(alone)
    const result = await svc(['import', '--project', 'site-1', '--dry-run', '--token', secretToken], {
      cwd: temporaryDirectory({
        ...vercelFiles,
        '.vercel/project.json': '{"projectId":"prj_1","orgId":"user_1"}',
      }),
      env: { VERCEL_API_URL: url, VERCEL_TOKEN: 'another' },
    })
    expect({ code: result.code, mistakes }).toEqual({ code: 0, mistakes: [] })
    expect(result.stdout).toContain('secrets     to be set by you: STRIPE')
  })

  it('cannot put commands of a shell into the commands that are shown to copy', async () => {
    const evil = "a.dev'; touch /tmp/x; echo $(id)"
    const { url } = await otherPlatform({
      ...vercelAnswers,
      '/v9/projects/prj_1?teamId=team_9': {
        link: { type: 'github', org: 'acme', repo: 'shop; id', productionBranch: 'main; id' },
      },
      '/v9/projects/prj_1/env?teamId=team_9&decrypt=true': {
        envs: [{ id: 'e1', key: 'A; id', type: 'sensitive', value: '', target: ['production'] }],
      },
      '/v9/projects/prj_1/domains?teamId=team_9&limit=100': {
        domains: [{ name: evil, gitBranch: 'next; id' }],
      },
    })
    const refused = { status: 400, body: { error: { code: 'invalid_request', message: 'no' } } }
    const api = await standIn({
      'POST /projects': created,
      'GET /projects/site-1/repo': { status: 404, body: { error: { code: 'not_found', message: 'none' } } },
      'GET /projects/site-1/env': noEnv,
      'GET /projects/site-1/crons': noCrons,
      'POST /projects/site-1/repo': refused,
      'GET /github': { body: { installations: [], install_url: 'https://github.com/apps/x' } },
    })
    const result = await svc(['import', 'vercel', '--project', 'site-1'], {
      cwd: temporaryDirectory({
        'vercel.json': '{}',
        '.vercel/project.json': vercelFiles['.vercel/project.json'],
      }),
      env: { VERCEL_API_URL: url, VERCEL_TOKEN: secretToken, SVC_API_URL: api.url, SVC_TOKEN: token },
    })
    const shown = result.stdout + result.stderr
    const word = `'a.dev'\\''; touch /tmp/x; echo $(id)'`
    for (const command of [
      `svc domains add ${word} --project site-1`,
      `svc domains add ${word} --branch 'next; id'`,
      "svc env set 'A; id' - ",
      "svc git connect 'acme/shop; id' --branch 'main; id'",
    ])
      expect(shown).toContain(command)
  })

  it('is not asked if the directory is not linked', async () => {
    const { url, asked } = await otherPlatform({})
    const { code, stdout } = await importFrom('vercel', { 'vercel.json': '{}' }, url)
    expect({ code, asked }).toEqual({ code: 0, asked: [] })
    expect(stdout).toContain("Run 'vercel link' here")
  })

  it.each([
    [
      401,
      { error: { code: 'forbidden', message: 'Not authorized' } },
      {},
      'The token is not valid or has expired.',
    ],
    [403, {}, {}, 'The token may not read this project.'],
    [404, {}, {}, "Run 'vercel link' again."],
    [429, {}, { 'retry-after': '30' }, "Run 'svc import' again in 30 seconds."],
    [500, {}, {}, 'Vercel has a problem at the moment.'],
    [302, {}, { location: 'https://evil.example/' }, 'check the URL'],
  ])('answers %i, and the import says what to do', async (code, body, headers, words) => {
    const { url, asked } = await otherPlatform({
      '/v9/projects/prj_1?teamId=team_9': status(code, body, headers),
    })
    const result = await importFrom('vercel', vercelFiles, url)
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) })
    expect(result.stderr).toContain(`Vercel answered ${code}.`)
    expect(result.stderr).not.toContain(secretToken)
    expect(asked).toHaveLength(1)
  })

  it('that sends no JSON, or does not answer, ends the import with a reason', async () => {
    const { url } = await otherPlatform({
      '/v9/projects/prj_1?teamId=team_9': (_: IncomingMessage, response: ServerResponse) =>
        response.end('<html>'),
    })
    expect(await importFrom('vercel', vercelFiles, url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not JSON'),
    })
    const gone = await importFrom('vercel', vercelFiles, 'http://127.0.0.1:9')
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('Could not reach Vercel') })
    const plain = await importFrom('vercel', vercelFiles, 'http://vercel.example')
    expect(plain).toMatchObject({ code: 1, stderr: expect.stringContaining('must begin with https://') })
  })
})

describe('the API of Netlify', () => {
  const files = {
    'netlify.toml': '[build]\npublish = "out"\n[build.environment]\nFROM_FILE = "1"\nSHARED = "file"\n',
    '.netlify/state.json': '{"siteId":"site-9"}',
  }
  const answers = {
    '/sites/site-9': {
      account_id: 'acc 1',
      custom_domain: 'acme.dev',
      domain_aliases: ['www.acme.dev', 'x.netlify.app'],
      has_password: true,
      build_settings: {
        provider: 'github',
        repo_path: 'acme/site',
        repo_branch: 'main',
        cmd: 'npm run all',
        dir: 'public/',
        base: '',
      },
    },
    '/accounts/acc%201/env?site_id=site-9': [
      { key: 'SHARED', scopes: ['builds'], values: [{ value: 'api', context: 'all' }] },
      {
        key: 'BOTH',
        scopes: ['builds', 'functions', 'runtime'],
        values: [
          { value: 'dev', context: 'dev' },
          { value: 'prod', context: 'production' },
        ],
      },
      { key: 'RUNTIME', scopes: ['functions'], values: [{ value: 'r', context: 'all' }] },
      {
        key: 'HIDDEN',
        scopes: ['builds'],
        is_secret: true,
        values: [{ value: '****', context: 'production' }],
      },
      { key: 'PREVIEW', scopes: ['builds'], values: [{ value: 'p', context: 'deploy-preview' }] },
      { key: 'NETLIFY_X', scopes: ['builds'], values: [{ value: 'p', context: 'all' }] },
    ],
  }

  it('gives settings, variables with their scopes, domains and the repository of a linked directory', async () => {
    const { url, mistakes } = await otherPlatform(answers)
    const { code, stdout } = await importFrom('netlify', files, url, ['--json'])
    expect({ code, mistakes }).toEqual({ code: 0, mistakes: [] })
    const plan = JSON.parse(stdout)
    expect(plan).toMatchObject({
      build: { build_cmd: 'npm run all', output_dir: 'out' },
      secrets: ['HIDDEN'],
      repository: 'acme/site',
      branch: 'main',
      domains: ['acme.dev', 'www.acme.dev'],
    })
    expect(plan.variables).toEqual(
      expect.arrayContaining([
        { key: 'SHARED', scope: 'build', source: 'Netlify' },
        { key: 'BOTH', scope: 'both', source: 'Netlify' },
        { key: 'RUNTIME', scope: 'runtime', source: 'Netlify' },
        { key: 'FROM_FILE', scope: 'build', source: 'netlify.toml' },
      ]),
    )
    expect(plan.variables).toHaveLength(4)
    expect(JSON.stringify(plan.findings)).toContain('protected by a password at Netlify')
  })

  it('answers 401, and the import says what to do', async () => {
    const { url } = await otherPlatform({
      '/sites/site-9': status(401, { code: 401, message: 'Access Denied' }),
    })
    const result = await importFrom('netlify', files, url)
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Netlify answered 401. Access Denied'),
    })
  })
})
