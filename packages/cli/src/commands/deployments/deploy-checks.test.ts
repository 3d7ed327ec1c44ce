// What svc deploy says and asks before it uploads: links, sources, node_modules.
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { type Settings, svc, temporaryDirectory, token, writeFiles } from '../../testing/svc.ts'

const deployed = { deployment_id: 'dep_a', url: 'http://blog.localhost:8080', expires_at: null, warnings: [] }

/** Runs a command in a directory against a platform that takes everything. */
async function run(cwd: string, args: string[], settings: Settings = {}) {
  const api = await standIn({
    'POST /projects/blog/deployments': { status: 201, body: deployed },
    'POST /shares': { status: 201, body: { ...deployed, name: 'tmp-1', expires_at: '2026-01-01T00:00:00Z' } },
  })
  const result = await svc(args, { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token }, ...settings })
  return { ...result, uploads: api.calls.map(({ body }) => body) }
}

const directory = (files: Record<string, string>) =>
  temporaryDirectory({ 'svc.json': '{"project":"blog"}', ...files })

const listing = (archive: Buffer | undefined) =>
  execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n')
const linksIn = (archive: Buffer | undefined) =>
  JSON.parse(execFileSync('tar', ['-xzOf', '-', '_svc/links.json'], { input: archive, encoding: 'utf8' }))
    .links

describe('symbolic links', () => {
  const server = {
    Procfile: 'web: npm start',
    'node_modules/.pnpm/a@1/node_modules/a/cli.js': '',
    'node_modules/.bin/x': '',
  }

  it('inside a server go along, and each other one is named', async () => {
    const cwd = directory(server)
    const outside = temporaryDirectory({ secret: '' })
    symlinkSync('.pnpm/a@1/node_modules/a', join(cwd, 'node_modules/a'))
    symlinkSync('../a/cli.js', join(cwd, 'node_modules/.bin/a'))
    symlinkSync(join(cwd, 'node_modules/a'), join(cwd, 'absolute'))
    symlinkSync(join(outside, 'secret'), join(cwd, 'secret'))
    symlinkSync('../../up', join(cwd, 'up'))
    symlinkSync('gone.js', join(cwd, 'broken'))
    symlinkSync('broken', join(cwd, 'to-broken'))
    symlinkSync('circle', join(cwd, 'circle'))
    const { code, stderr, uploads } = await run(cwd, ['deploy', '--node-modules'])
    expect(code).toBe(0)
    expect(listing(uploads[0])).toEqual([...Object.keys(server).sort(), '_svc/links.json'])
    expect(linksIn(uploads[0])).toEqual({
      absolute: 'node_modules/a',
      'node_modules/.bin/a': '../a/cli.js',
      'node_modules/a': '.pnpm/a@1/node_modules/a',
    })
    for (const name of ['secret', 'up', 'broken', 'to-broken', 'circle'])
      expect(stderr).toContain(`Warning: The symbolic link ${name} is left out: it `)
    expect(stderr.trim().split('\n')).toHaveLength(5)
  })

  it('of a static site are named, and not sent', async () => {
    const cwd = directory({ 'index.html': '', 'v2/index.html': '' })
    symlinkSync('v2', join(cwd, 'latest'))
    const { stderr, uploads } = await run(cwd, ['deploy'])
    expect(stderr).toBe(
      'Warning: The symbolic link latest is left out: links are not followed. Copy what it leads to.\n',
    )
    expect(listing(uploads[0])).toEqual(['index.html', 'v2/index.html'])
  })

  it('in what is left out anyway are not worth a word', async () => {
    const cwd = directory({ 'index.html': '', 'node_modules/x/index.js': '', '.git/HEAD': '' })
    symlinkSync('x', join(cwd, 'node_modules/y'))
    symlinkSync('HEAD', join(cwd, '.git/other'))
    writeFiles(cwd, { 'docs/index.html': '' })
    symlinkSync('../node_modules', join(cwd, 'docs/node_modules'))
    expect((await run(cwd, ['deploy'])).stderr).toBe('')
  })

  it('have a list whose place a file of the same name gives up', async () => {
    const cwd = directory({ 'index.html': '', '_svc/links.json': 'mine' })
    const { stderr, uploads } = await run(cwd, ['deploy'])
    expect(stderr).toContain('_svc/links.json is left out')
    expect(listing(uploads[0])).toEqual(['index.html'])
  })
})

describe('sources that are not built', () => {
  const vite = {
    'index.html': '<script type="module" src="/src/main.ts"></script>',
    'src/main.ts': '',
    'package.json': '{"scripts":{"build":"vite build"}}',
  }
  const words = 'index.html loads /src/main.ts'

  it('are deployed with a warning without a terminal', async () => {
    const { code, stderr, uploads } = await run(directory(vite), ['deploy'])
    expect([code, uploads.length]).toEqual([0, 1])
    expect(stderr).toContain(words)
    expect(stderr).toContain("Run 'npm run build', then deploy its output: svc deploy dist\n")
    expect(stderr).toMatch(/Or build and deploy in one step: svc deploy --build\n$/)
  })

  it('are built first on a terminal, if the user wants that', async () => {
    const build = "node -e \"require('fs').cpSync('src', 'dist', { recursive: true })\""
    const cwd = directory({ 'package.json': JSON.stringify({ scripts: { build } }), 'src/index.html': 'hi' })
    const built = await run(cwd, ['deploy'], { terminal: true, stdin: 'y\n' })
    expect(built.stderr).toContain('Build it first, and deploy what the build makes? [Y/n] ')
    expect(listing(built.uploads[0])).toEqual(['index.html'])
  })

  it('are not asked about anything else before they are built', async () => {
    const build = "node -e \"require('fs').cpSync('src', 'dist', { recursive: true })\""
    const files = {
      'package.json': JSON.stringify({ scripts: { build } }),
      'src/index.html': '',
      '.env': 'A=1',
    }
    const { code, stderr } = await run(directory(files), ['deploy'], { terminal: true, stdin: '\n' })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^There is a build script in package\.json and no index\.html at the top level\.\nBuild it first, .+ \[Y\/n\] Building: /,
    )
    expect(stderr).not.toContain('.env')
  })

  it.each([
    ['a Hugo site', { 'hugo.toml': '', 'content/a.md': '' }, 'svc deploy public'],
    ['a Jekyll site', { '_config.yml': '', 'index.md': '' }, 'svc deploy _site'],
    ['an MkDocs site', { 'mkdocs.yml': '', 'docs/index.md': '' }, 'svc deploy site'],
    ['a Python app', { 'app.py': '', 'requirements.txt': 'flask' }, 'web: python3 app.py'],
    ['a Go program', { 'go.mod': '', 'main.go': '' }, 'web: ./app'],
    ['a Deno app', { 'deno.json': '{}', 'main.ts': '' }, 'web: deno run'],
    ['a container image', { Dockerfile: 'FROM scratch' }, 'git push svc main'],
  ])('of %s are asked about, since nothing can serve them', async (kind, files, words) => {
    const cwd = directory(files as Record<string, string>)
    const no = await run(cwd, ['deploy'], { terminal: true, stdin: 'n\n' })
    expect([no.code, no.uploads]).toEqual([1, []])
    const unasked = await run(cwd, ['deploy'])
    expect([unasked.code, unasked.uploads.length]).toEqual([0, 1])
    const said = `the front page of the site is a 404. These are the sources of ${kind}. `
    expect(no.stderr).toContain(said)
    expect(unasked.stderr.trim().split('\n').at(-1)).toContain(said)
    expect(unasked.stderr).toContain(words)
  })

  it('of a server whose packages are not installed are installed first on a terminal, if the user wants that', async () => {
    const files = {
      'package.json': JSON.stringify({
        scripts: { start: 'node main.js' },
        dependencies: { web: 'file:web' },
      }),
      'main.js': "require('web')",
      'web/package.json': JSON.stringify({ name: 'web', version: '1.0.0' }),
      'web/index.js': '',
    }
    const unasked = await run(directory(files), ['deploy'])
    expect([unasked.code, unasked.uploads.length]).toEqual([0, 1])
    expect(unasked.stderr).toContain("'svc deploy --build' installs them here")
    const yes = await run(directory(files), ['deploy'], { terminal: true, stdin: '\n' })
    expect(yes.stderr).toContain('Install them, and deploy the server with them? [Y/n] ')
    expect(yes.stderr).toContain('Installing: npm install')
    expect([yes.code, yes.uploads.length]).toEqual([0, 1])
  })

  it('are asked about on a terminal', async () => {
    const cwd = directory({ ...vite, 'dist/index.html': '' })
    for (const stdin of ['n\n', '\n', '']) {
      const no = await run(cwd, ['deploy'], { terminal: true, stdin })
      expect([no.code, no.uploads]).toEqual([1, []])
      expect(no.stderr).toContain('Deploy the output of the build: svc deploy dist\n')
      expect(no.stderr).toContain('Deploy it anyway? [y/N] ')
      expect(no.stderr).toContain('Nothing was deployed.')
    }
    const yes = await run(cwd, ['deploy'], { terminal: true, stdin: 'Y\n' })
    expect([yes.code, yes.uploads.length]).toEqual([0, 1])
    const told = await run(cwd, ['deploy', '--yes'], { terminal: true })
    expect([told.code, told.uploads.length]).toEqual([0, 1])
    expect(told.stderr).toContain(words)
    expect(told.stderr).not.toContain('anyway?')
  })

  it('come with the command that fits where and how they were deployed', async () => {
    const cwd = directory({ 'my site/a.txt': '', 'my site/build/index.html': '' })
    const { stderr } = await run(cwd, ['deploy', './my site/', '--project', 'blog'])
    expect(stderr).toContain("svc deploy 'my site/build' --project blog\n")
  })

  it('are not suspected in a folder of plain files', async () => {
    expect((await run(directory({ 'video.mp4': '', 'list.txt': '' }), ['deploy'])).stderr).toBe('')
    expect((await run(directory({ 'about.html': '' }), ['deploy'])).stderr).toContain('is a 404')
  })

  it('may be shared without a question', async () => {
    const { code, stderr } = await run(directory(vite), ['share'], { terminal: true })
    expect(code).toBe(0)
    expect(stderr).toContain('svc share dist')
    expect(stderr).not.toContain('anyway?')
  })
})

describe('files that look like secrets', () => {
  const files = { 'index.html': '', '.env': 'A=1', 'a b/[x].key': '-----BEGIN PRIVATE KEY-----' }

  it('are left out on a terminal if the user wants that, and from then on', async () => {
    const cwd = directory(files)
    const asked = await run(cwd, ['deploy'], { terminal: true, stdin: '\n' })
    expect(asked.stderr).toContain(
      '.env, a b/[x].key look like secrets.\nLeave them out, now and later? [Y/n] ',
    )
    expect(asked.stderr).toContain('svc env import .env\n')
    expect(listing(asked.uploads[0])).toEqual(['index.html'])
    expect(readFileSync(join(cwd, '.svcignore'), 'utf8')).toBe('/.env\n/a\\ b/\\[x\\].key\n')
    const later = await run(cwd, ['deploy'])
    expect(listing(later.uploads[0])).toEqual(['index.html'])
    expect(later.stderr).toBe('')
  })

  it('are added below the rules that are there', async () => {
    const cwd = directory({ 'index.html': '', '.env': 'A=1', '.svcignore': '*.map' })
    const { stderr } = await run(cwd, ['deploy'], { terminal: true, stdin: 'y\n' })
    expect(stderr).toContain('.env looks like a secret.\nLeave it out, now and later? [Y/n] ')
    expect(readFileSync(join(cwd, '.svcignore'), 'utf8')).toBe('*.map\n/.env\n')
  })

  it('are uploaded with a warning with --yes, in a script, and if the user wants that, which is asked once', async () => {
    const cwd = directory({ 'index.html': '', '.env': 'A=1' })
    const question = 'Leave it out, now and later?'
    const unasked = [await run(cwd, ['deploy', '--yes'], { terminal: true }), await run(cwd, ['deploy'])]
    const asked = await run(cwd, ['deploy'], { terminal: true, stdin: 'n\n' })
    expect(readFileSync(join(cwd, '.svcignore'), 'utf8')).toBe('!/.env\n')
    const again = await run(cwd, ['deploy'], { terminal: true })
    for (const { stderr, uploads } of [...unasked, asked, again]) {
      expect(stderr).toContain('.env is part of the upload.')
      expect(stderr.includes(question)).toBe(stderr === asked.stderr)
      expect(listing(uploads[0])).toEqual(['.env', 'index.html'])
    }
  })
})

describe('a server with packages', () => {
  const server = {
    'package.json': '{"scripts":{"start":"node app.js"},"dependencies":{"express":"5"}}',
    'app.js': '',
  }

  it('is offered its node_modules on a terminal', async () => {
    const cwd = directory({ ...server, 'node_modules/express/index.js': '' })
    const yes = await run(cwd, ['deploy'], { terminal: true, stdin: '\n' })
    expect(yes.stderr).toContain('Upload them, too? [Y/n] ')
    expect(listing(yes.uploads[0])).toContain('node_modules/express/index.js')
    const no = await run(cwd, ['deploy'], { terminal: true, stdin: 'n\n' })
    expect(listing(no.uploads[0])).toEqual(['app.js', 'package.json'])
    const unasked = await run(cwd, ['deploy'])
    expect(unasked.stderr).toContain('deploy with --node-modules')
    expect(listing(unasked.uploads[0])).toEqual(['app.js', 'package.json'])
  })

  it('is told to install them where there are none', async () => {
    const { stderr } = await run(directory(server), ['deploy'])
    expect(stderr).toContain("'svc deploy --build' installs them here")
  })
})
