import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type StandIn, standIn } from '../../testing/api.ts'
import { installed, svc, temporaryDirectory, token } from '../../testing/svc.ts'

const upload = 'POST /projects/blog/deployments'
const deployed = { deployment_id: 'dep_a', url: 'http://blog.localhost:8080', warnings: [] }
const linkTo = (settings: object) => JSON.stringify({ project: 'blog', ...settings })

async function deploy(files: Record<string, string>, ...args: string[]) {
  const api = await standIn({ [upload]: { status: 201, body: deployed } })
  const cwd = temporaryDirectory(files)
  const result = await svc(['deploy', ...args], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
  return { ...result, uploaded: uploadedTo(api) }
}

const uploadedTo = ({ calls }: StandIn): string[] | undefined =>
  calls[0] &&
  execFileSync('tar', ['-tzf', '-'], { input: calls[0].body, encoding: 'utf8' }).trim().split('\n')

describe('svc deploy with .svcignore', () => {
  const files = {
    'svc.json': linkTo({}),
    'index.html': 'hi',
    'a.map': '',
    'drafts/a.html': '',
    'img/a.map': '',
  }

  it('leaves out what its rules say, and the file itself', async () => {
    const { uploaded, stderr } = await deploy({ ...files, '.svcignore': '*.map\n/drafts/\n' })
    expect([uploaded, stderr]).toEqual([['index.html'], ''])
  })

  it('reads the file beside svc.json for another directory, and then the one in that directory', async () => {
    const dist = { 'dist/index.html': '', 'dist/a.map': '', 'dist/drafts/a.html': '', 'dist/keep.map': '' }
    const { uploaded } = await deploy(
      { 'svc.json': linkTo({}), ...dist, '.svcignore': '/drafts\n*.map', 'dist/.svcignore': '!keep.map' },
      'dist',
    )
    expect(uploaded).toEqual(['index.html', 'keep.map'])
  })

  it('says so when it leaves out everything', async () => {
    const { code, stderr } = await deploy({ ...files, '.svcignore': '*' })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: Nothing to deploy: no files found in this folder.\n.svcignore leaves out every file.\n',
    })
  })

  it('does not warn of secrets that it leaves out, and also holds with --node-modules', async () => {
    const server = {
      Procfile: 'web: node .',
      'index.js': '',
      'node_modules/a/index.js': '',
      'node_modules/b/b.md': '',
    }
    const { uploaded, stderr } = await deploy(
      { 'svc.json': linkTo({}), ...server, '.env': 'A=b', '.svcignore': '.env\n*.md\n' },
      '--node-modules',
    )
    expect([uploaded, stderr]).toEqual([['Procfile', 'index.js', 'node_modules/a/index.js'], ''])
  })
})

describe('svc deploy --build', () => {
  /** A build that needs a package of the folder beside it. */
  const words = {
    'words/package.json': JSON.stringify({ name: 'words', version: '1.0.0', main: 'index.js' }),
    'words/index.js': "module.exports = 'hello'",
    'build.cjs':
      "const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', require('words'))",
  }

  it('runs the command of svc.json in a shell, shows its output on stderr, and deploys its folder', async () => {
    const build = 'mkdir -p site && echo "a $((1 + 1))" | tee site/index.html'
    const result = await deploy({ 'svc.json': linkTo({ build, output: 'site' }) }, '--build')
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^dep_a is live: 1 file, 4 B/),
      stderr: `Building: ${build}\na 2\n`,
      uploaded: ['index.html'],
    })
  })

  it('detects the build script and the folder that it makes', async () => {
    const script = "require('fs').cpSync('src', 'dist', { recursive: true })"
    const scripts = { build: 'node build.cjs' }
    const { code, uploaded, stderr } = await deploy(
      {
        'svc.json': linkTo({}),
        'package.json': JSON.stringify({ scripts }),
        'build.cjs': script,
        'src/index.html': 'hi',
      },
      '--build',
    )
    expect({ code, uploaded }).toEqual({ code: 0, uploaded: ['index.html'] })
    expect(stderr).toContain('Building: npm run build\n')
  })

  it('installs the packages first if none of them is installed, as in a fresh clone', async () => {
    const files = {
      'svc.json': linkTo({}),
      'package.json': JSON.stringify({
        scripts: { build: 'node build.cjs' },
        devDependencies: { words: 'file:words' },
      }),
      ...words,
    }
    const { code, uploaded, stderr } = await deploy(files, '--build')
    expect({ code, uploaded }).toEqual({ code: 0, uploaded: ['index.html'] })
    expect(stderr).toMatch(/^Installing: npm install .*\n[\s\S]*\nBuilding: npm run build\n/)
    const installed = {
      'node_modules/words/package.json': '{}',
      'node_modules/words/index.js': words['words/index.js'],
    }
    expect((await deploy({ ...files, ...installed }, '--build')).stderr).toMatch(/^Building: npm run build\n/)
  })

  it('installs at the root of a workspace that uses no packages itself', async () => {
    const files = {
      'svc.json': linkTo({}),
      'package.json': JSON.stringify({ workspaces: ['words'], scripts: { build: 'node build.cjs' } }),
      ...words,
    }
    const { code, uploaded, stderr } = await deploy(files, '--build')
    expect({ code, uploaded }).toEqual({ code: 0, uploaded: ['index.html'] })
    expect(stderr).toMatch(/^Installing: npm install .*\n[\s\S]*\nBuilding: npm run build\n/)
  })

  it('installs without a lock file that does not fit package.json, and says so', async () => {
    const lock = {
      ...{ name: 'site', lockfileVersion: 3, requires: true },
      packages: { '': { name: 'site', devDependencies: { other: 'file:other' } } },
    }
    const { code, uploaded, stderr } = await deploy(
      {
        'svc.json': linkTo({}),
        'package.json': JSON.stringify({
          name: 'site',
          scripts: { build: 'node build.cjs' },
          devDependencies: { words: 'file:words' },
        }),
        'package-lock.json': JSON.stringify(lock),
        'words/package.json': JSON.stringify({ name: 'words', version: '1.0.0', main: 'index.js' }),
        'words/index.js': "module.exports = 'hello'",
        'build.cjs':
          "const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', require('words'))",
      },
      '--build',
    )
    expect({ code, uploaded }).toEqual({ code: 0, uploaded: ['index.html'] })
    expect(stderr).toMatch(
      /^Installing: npm ci .*\n[\s\S]*\nWarning: package-lock.json did not fit package.json.*\nInstalling: npm install .*\n/,
    )
  })

  it('says how to get the package manager of the project if this machine does not have it', async () => {
    const files = {
      'svc.json': linkTo({}),
      'package.json': JSON.stringify({ scripts: { build: 'true' }, dependencies: { words: '1' } }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    }
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, PATH: temporaryDirectory() }
    expect(await svc(['deploy', '--build'], { cwd: temporaryDirectory(files), env })).toMatchObject({
      code: 1,
      stderr:
        'Installing: pnpm install --frozen-lockfile\nsvc: This project uses pnpm, which is not on this machine. Nothing was deployed.\nInstall it: npm install --global pnpm\n',
    })
  })

  it('builds nothing if the packages cannot be installed, and says so', async () => {
    const { code, stderr, uploaded } = await deploy(
      {
        'svc.json': linkTo({}),
        'package.json': JSON.stringify({
          scripts: { build: 'true' },
          dependencies: { words: 'file:missing.tgz' },
        }),
      },
      '--build',
    )
    expect({ code, uploaded }).toEqual({ code: 1, uploaded: undefined })
    expect(stderr).toMatch(
      /svc: Installing ended with exit code \d+: npm install .*\. Nothing was deployed\.\n$/,
    )
    expect(stderr).not.toContain('Building')
  })

  it('says what to do if the build made no site and only a tool for development would start', async () => {
    const { code, stderr, uploaded } = await deploy(
      installed({
        'svc.json': linkTo({}),
        'package.json': JSON.stringify({
          scripts: { build: 'mkdir -p dist/build', start: 'vite --open --mode ssr' },
          devDependencies: { '@builder.io/qwik': '1', vite: '7' },
        }),
      }),
      '--build',
    )
    expect({ code, uploaded }).toEqual({ code: 1, uploaded: undefined })
    expect(stderr).toContain("run 'npm run qwik add static'")
  })

  it('runs docs:build for a VitePress site without a build script', async () => {
    const scripts = { 'docs:build': 'node build.cjs vitepress build docs' }
    const { uploaded, stderr } = await deploy(
      {
        'svc.json': linkTo({}),
        'package.json': JSON.stringify({ scripts }),
        'build.cjs': "require('fs').cpSync('pages', 'docs/.vitepress/dist', { recursive: true })",
        'pages/index.html': 'hi',
      },
      '--build',
    )
    expect(uploaded).toEqual(['index.html'])
    expect(stderr).toContain('Building: npm run docs:build\n')
  })

  it('deploys the folder that is named instead of the one of svc.json', async () => {
    const build = 'mkdir a b && echo a > a/a.html && echo b > b/b.html'
    const { uploaded } = await deploy({ 'svc.json': linkTo({ build, output: 'a' }) }, 'b', '--build')
    expect(uploaded).toEqual(['b.html'])
  })

  it('gives the standalone server of Next.js the files that its build leaves out', async () => {
    const { uploaded } = await deploy(
      {
        'svc.json': linkTo({ build: 'true' }),
        '.next/standalone/server.js': '',
        '.next/standalone/.next/BUILD_ID': '1',
        '.next/standalone/node_modules/next/index.js': '',
        '.next/static/a.css': '',
        'public/robots.txt': '',
      },
      '--build',
    )
    expect(uploaded).toEqual([
      '.next/BUILD_ID',
      '.next/static/a.css',
      'node_modules/next/index.js',
      'public/robots.txt',
      'server.js',
    ])
  })

  it('finds the standalone server of Next.js below the root of a workspace, and says where it is', async () => {
    const { uploaded, code } = await deploy(
      installed({
        'svc.json': linkTo({ build: 'true' }),
        'package.json': JSON.stringify({ scripts: { start: 'next start' }, dependencies: { next: '16' } }),
        '.next/BUILD_ID': '1',
        '.next/standalone/apps/web/server.js': '',
        '.next/standalone/apps/web/.next/BUILD_ID': '1',
        '.next/standalone/node_modules/next/index.js': '',
        '.next/static/a.css': '',
      }),
      '--build',
    )
    expect(code).toBe(0)
    expect(uploaded).toEqual([
      'Procfile',
      'apps/web/.next/BUILD_ID',
      'apps/web/.next/static/a.css',
      'apps/web/server.js',
      'node_modules/next/index.js',
    ])
  })

  /** Stands in for the build of Next.js. */
  const nextBuild = `
    const { cpSync, mkdirSync, writeFileSync } = require('fs')
    mkdirSync('.next', { recursive: true })
    writeFileSync('.next/BUILD_ID', '1')
    if (!process.env.NEXT_PRIVATE_STANDALONE) process.exit()
    mkdirSync('.next/standalone')
    cpSync('.next/BUILD_ID', '.next/standalone/.next/BUILD_ID')
    writeFileSync('.next/standalone/server.js', '')`
  const nextProject = (start: string) => ({
    'svc.json': linkTo({ build: 'node build.cjs' }),
    'package.json': JSON.stringify({ scripts: { start }, dependencies: { next: '16' } }),
    'build.cjs': nextBuild,
    'server.js': "require('next')",
    'node_modules/next/index.js': '',
  })

  it('makes Next.js build a standalone server if next start would start it', async () => {
    const { uploaded } = await deploy(nextProject('next start'), '--build')
    expect(uploaded).toEqual(['.next/BUILD_ID', 'server.js'])
  })

  it('deploys the server that the author of a Next.js project wrote, with its packages', async () => {
    const { uploaded } = await deploy(nextProject('node server.js'), '--build')
    expect(uploaded).toEqual([
      '.next/BUILD_ID',
      'build.cjs',
      'node_modules/next/index.js',
      'package.json',
      'server.js',
    ])
  })

  it('deploys a server that a start script starts, though its build made pages', async () => {
    const manifest = (start: string) =>
      JSON.stringify({ scripts: { start: `react-router-serve ./build/server/${start}` } })
    const files = {
      'svc.json': linkTo({ build: 'true' }),
      'build/client/index.html': 'hi',
      'build/server/index.js': '',
    }
    const server = await deploy({ ...files, 'package.json': manifest('index.js') }, '--build')
    expect(server.uploaded).toEqual(['build/client/index.html', 'build/server/index.js', 'package.json'])
    const site = await deploy({ ...files, 'package.json': manifest('missing.js') }, '--build')
    expect(site.uploaded).toEqual(['index.html'])
  })

  it('deploys the server of Angular with its pages', async () => {
    const { uploaded } = await deploy(
      {
        'svc.json': linkTo({ build: 'true' }),
        'package.json': JSON.stringify({ scripts: { build: 'ng build', start: 'ng serve' } }),
        'dist/shop/browser/index.html': '',
        'dist/shop/server/server.mjs': '',
        'dist/shop/server/angular-app-engine-manifest.mjs': '',
        'src/index.html': '',
      },
      '--build',
    )
    expect(uploaded).toEqual([
      'browser/index.html',
      'server/angular-app-engine-manifest.mjs',
      'server/server.mjs',
    ])
  })

  it('deploys nothing when the build fails', async () => {
    const { code, stderr, uploaded } = await deploy({ 'svc.json': linkTo({ build: 'exit 3' }) }, '--build')
    expect({ code, stderr, uploaded }).toEqual({
      code: 1,
      stderr: 'Building: exit 3\nsvc: Building ended with exit code 3: exit 3. Nothing was deployed.\n',
      uploaded: undefined,
    })
  })

  it.each([
    [
      {},
      'There is nothing to build: there is no package.json here.\nName the command in svc.json: "build": "<command>". Without a build, deploy the folder as it is: \'svc deploy\'',
    ],
    [{ build: 'true' }, 'The build made no folder that svc recognizes as a site.\nName the folder'],
    [{ build: 'true', output: 'out' }, 'The build made no folder out.\nName the folder'],
    [{ build: '' }, '"build" in svc.json must be a text that is not empty.'],
    [{ build: 'true', output: 7 }, '"output" in svc.json must be a text that is not empty.'],
  ])('of %j says what is missing', async (settings, message) => {
    const { code, stderr, uploaded } = await deploy({ 'svc.json': linkTo(settings) }, '--build')
    expect({ code, stderr, uploaded }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`svc: ${message}`),
      uploaded: undefined,
    })
  })

  it('of the sources of another tool says what to do with them', async () => {
    const { code, stderr } = await deploy(
      { 'svc.json': linkTo({}), 'conf.py': '', 'index.rst': '' },
      '--build',
    )
    expect(code).toBe(1)
    expect(stderr).toContain("no package.json here.\nThese are the sources of a Sphinx site. Run 'make html'")
  })

  it('of a site whose generator is not on this machine says how to get it', async () => {
    const zola = { 'config.toml': '', 'content/a.md': '', 'templates/index.html': '' }
    const { code, stderr, uploaded } = await deploy({ 'svc.json': linkTo({}), ...zola }, '--build')
    expect([code, uploaded]).toEqual([1, undefined])
    expect(stderr).toContain(
      'svc: This is a Zola site, and the program zola is not on this machine. Install it,',
    )
    expect(stderr).toContain('svc git connect <owner/repo>.\nNothing was deployed.\n')
  })

  it('writes the Procfile of an app in another language, and deploys all of its files', async () => {
    const { uploaded, stderr } = await deploy(
      { 'svc.json': linkTo({ build: 'true' }), 'main.py': 'serve()', 'lib/a.py': '' },
      '--build',
    )
    expect(uploaded).toEqual(['Procfile', 'lib/a.py', 'main.py'])
    expect(stderr).toContain('Wrote the file Procfile, which starts the app: python3 main.py.')
  })

  it('asks for a login before it builds, and keeps the token from the build', async () => {
    const cwd = temporaryDirectory({ 'svc.json': linkTo({ build: 'echo "[$SVC_TOKEN]"; exit 1' }) })
    expect((await svc(['deploy', '--build'], { cwd })).stderr).toBe(
      "svc: Not logged in. Run 'svc login' first.\n",
    )
    const { stderr } = await svc(['deploy', '--build'], { cwd, env: { SVC_TOKEN: token } })
    expect(stderr).toContain('\n[]\n')
  })
})
