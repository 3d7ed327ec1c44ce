import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal, send, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const upload = 'POST /projects/blog/deployments'
const deployed = {
  deployment_id: 'dep_aaaaaaaaaaaaaaaa',
  url: 'http://blog.localhost:8080',
  expires_at: null,
  warnings: [] as string[],
}
const site = { 'svc.json': '{"project":"blog"}', 'index.html': 'hello', 'css/main.css': 'p {}' }
const listing = (archive: Buffer) =>
  execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n')

describe('svc deploy', () => {
  it('uploads the directory and prints id and URL', async () => {
    const api = await standIn({ [upload]: { status: 201, body: deployed } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    expect(await svc(['deploy'], { cwd: temporaryDirectory(site), env })).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^dep_aaaaaaaaaaaaaaaa is live: 2 files, 9 B, in [\d.]+ m?s\.\nhttp:\/\/blog\.localhost:8080\n$/,
      ),
      stderr: '',
    })
    const [call] = api.calls
    expect(call!.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      'content-type': 'application/gzip',
      'x-svc-cli-version': version,
    })
    expect(call!.headers).not.toHaveProperty('x-svc-git-sha')
    expect(listing(call!.body)).toEqual(['css/main.css', 'index.html'])
  })

  it('prints the URL of the site alone on the last line, and before it the permanent URL on a terminal', async () => {
    const body = { ...deployed, permanent_url: 'http://dep-a--blog.localhost:8080' }
    const api = await standIn({ [upload]: { status: 201, body } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const piped = await svc(['deploy'], { cwd: temporaryDirectory(site), env })
    expect(piped.stdout.split('\n').slice(1)).toEqual(['http://blog.localhost:8080', ''])
    const colourless = { ...env, NO_COLOR: '1' }
    const shown = await svc(['deploy'], { cwd: temporaryDirectory(site), env: colourless, terminal: true })
    expect(shown.stdout.split('\n').slice(1)).toEqual([
      'Permanent URL: http://dep-a--blog.localhost:8080',
      'http://blog.localhost:8080',
      '',
    ])
  })

  it('passes on the release command of svc.json, and refuses one that is no text', async () => {
    const api = await standIn({
      [`${upload}?release=npm+run+migrate+%26%26+true`]: { status: 201, body: deployed },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const withRelease = (release: unknown) =>
      temporaryDirectory({ ...site, 'svc.json': JSON.stringify({ project: 'blog', release }) })
    expect(await svc(['deploy'], { cwd: withRelease(' npm run migrate && true'), env })).toMatchObject({
      code: 0,
    })
    expect(await svc(['deploy'], { cwd: withRelease(['migrate']), env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"release" in svc.json must be a text'),
    })
  })

  it('passes on the seed command of svc.json for a preview, and not for production', async () => {
    const api = await standIn({
      [upload]: { status: 201, body: deployed },
      [`${upload}?branch=topic&seed=npm+run+seed`]: { status: 201, body: deployed },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const settings = { project: 'blog', seed: 'npm run seed' }
    const cwd = temporaryDirectory({ ...site, 'svc.json': JSON.stringify(settings) })
    expect(await svc(['deploy', '--branch', 'topic'], { cwd, env })).toMatchObject({ code: 0 })
    expect(await svc(['deploy'], { cwd, env })).toMatchObject({ code: 0 })
  })

  it('makes a preview of a branch with --branch, and says how to make it live', async () => {
    const url = 'http://fix-a--blog.localhost:8080'
    const api = await standIn({ [`${upload}?branch=fix%2Fa`]: { status: 201, body: { ...deployed, url } } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const result = await svc(['deploy', '--branch', 'fix/a'], { cwd: temporaryDirectory(site), env })
    expect(result).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^dep_a{16} is the preview of the branch fix\/a: .*\n.*fix-a--blog.*\n$/),
      stderr: 'To make it live: svc promote dep_aaaaaaaaaaaaaaaa\n',
    })
  })

  it('says what kind of server it was', async () => {
    const server = { ...deployed, kind: 'server', framework: 'Next.js standalone' }
    const api = await standIn({ [upload]: { status: 201, body: server } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { stdout } = await svc(['deploy'], { cwd: temporaryDirectory(site), env })
    expect(stdout).toContain('server: Next.js standalone\n')
  })

  it('leaves node_modules out, says so of servers, and takes them where it is told to', async () => {
    const api = await standIn({ [upload]: { status: 201, body: deployed } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const cwd = temporaryDirectory({ ...site, Procfile: 'web: node .', 'node_modules/x/index.js': '' })
    expect((await svc(['deploy'], { cwd, env })).stderr).toContain('deploy with --node-modules')
    expect((await svc(['deploy', '--node-modules'], { cwd, env })).stderr).toBe('')
    const [without, taken] = api.calls.map(call => listing(call.body))
    expect(without).toEqual(['Procfile', 'css/main.css', 'index.html'])
    expect(taken).toEqual(['Procfile', 'css/main.css', 'index.html', 'node_modules/x/index.js'])
  })

  it('sends the commit that the directory is at', async () => {
    const api = await standIn({ [upload]: { status: 201, body: deployed } })
    const cwd = temporaryDirectory(site)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'Grüße: 100 %\n\nMore words.', '--author', 'Ada <a@b>')
    await svc(['deploy', 'css'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    const { headers } = api.calls[0]!
    expect(headers['x-svc-git-message']).toBe(encodeURIComponent('Grüße: 100 %'))
    expect(headers['x-svc-git-author']).toBe('Ada')
    expect(api.calls[0]!.headers['x-svc-git-sha']).toBe(git('rev-parse', 'HEAD').toString().trim())
    expect(listing(api.calls[0]!.body)).toEqual(['main.css'])
  })

  it('lets --project win over the link', async () => {
    const api = await standIn({ 'POST /projects/shop/deployments': { status: 201, body: deployed } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const result = await svc(['--project', 'shop', 'deploy'], { cwd: temporaryDirectory(site), env })
    expect(result).toMatchObject({ code: 0 })
  })

  it("prints the API's answer with --json, and warnings on stderr", async () => {
    const body = { ...deployed, warnings: ['_redirects, line 3: no target'] }
    const api = await standIn({ [upload]: { status: 201, body } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { stdout, stderr } = await svc(['deploy', '--json'], { cwd: temporaryDirectory(site), env })
    expect(JSON.parse(stdout)).toEqual(body)
    expect(stderr).toBe('Warning: _redirects, line 3: no target\n')
  })

  it('refuses what is no site before it sends anything', async () => {
    const api = await standIn({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const cwd = temporaryDirectory({ ...site, 'empty/svc.json': '{}', 'big/video.mp4': '' })
    truncateSync(join(cwd, 'big/video.mp4'), 25 * 1024 * 1024 + 1)
    const cases = {
      none: 'Not a directory: none',
      'index.html': 'Not a directory: index.html',
      './empty/': 'Nothing to deploy: no files found in ./empty/.',
      big: 'File exceeds the 25 MB limit: video.mp4.',
    }
    for (const [dir, message] of Object.entries(cases))
      expect(await svc(['deploy', dir], { cwd, env })).toEqual({
        code: 1,
        stdout: '',
        stderr: `svc: ${message}\n`,
      })
    expect(api.calls).toEqual([])
  })

  it('warns of a directory that needs building, and of files with secrets', async () => {
    const api = await standIn({ [upload]: { status: 201, body: deployed } })
    const cwd = temporaryDirectory({
      'svc.json': '{"project":"blog"}',
      'package.json': '{"scripts":{"build":"vite build"}}',
      '.env': 'SECRET=1',
      'api/.env.production': 'SECRET=2',
      '.env.example': 'SECRET=',
    })
    const { code, stderr } = await svc(['deploy'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(code).toBe(0)
    expect(stderr.split('\n')).toEqual([
      'Warning: .env is part of the upload. Keep secrets out of what you deploy.',
      'Warning: api/.env.production is part of the upload. Keep secrets out of what you deploy.',
      "Warning: There is a build script in package.json and no index.html at the top level. Run 'npm run build', then deploy its output: svc deploy dist",
      'Or build and deploy in one step: svc deploy --build',
      '',
    ])
  })

  it('passes on a refusal, also one that comes before everything is sent', async () => {
    const tooLarge = refusal('payload_too_large', 'The archive is over 100 MB.', 413)
    const api = await standIn({
      [upload]: ({ socket }, response) => {
        response.on('finish', () => socket.destroy())
        send(response, tooLarge)
      },
    })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const noise = randomBytes(3_000_000)
    expect(await svc(['deploy'], { cwd: temporaryDirectory({ ...site, noise }), env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: The archive is over 100 MB. (payload_too_large)\n',
    })
  })

  it('reports a server that cannot be reached, and one that answers nonsense', async () => {
    const cwd = temporaryDirectory(site)
    const lost = await svc(['deploy'], { cwd, env: { SVC_API_URL: 'http://127.0.0.1:1', SVC_TOKEN: token } })
    expect(lost.stderr).toMatch(
      /^svc: Could not reach http:\/\/127\.0\.0\.1:1: the connection was refused \(network_error\)\n/,
    )
    const api = await standIn({
      [upload]: (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'),
    })
    const proxy = await svc(['deploy'], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
    expect(proxy.stderr).toMatch(/^svc: API returned HTTP 502 \(unknown\)\n/)
  })

  it('shows progress on a terminal', async () => {
    const api = await standIn({ [upload]: { status: 201, body: deployed } })
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
    const { stdout, stderr } = await svc(['deploy'], { cwd: temporaryDirectory(site), env, terminal: true })
    expect(stderr).toMatch(/Packing .*100% {2}9 B of 9 B/)
    expect(stderr).toMatch(/Uploading .*100%/)
    expect(stderr.endsWith('\r\x1b[K')).toBe(true)
    expect(stderr).toMatch(/100%.*\r.*Publishing …/)
    expect(stdout).not.toContain('Packing')
  })

  it('says on a terminal that the app starts, once everything is sent', async () => {
    const api = await standIn({ [upload]: { status: 201, body: deployed } })
    const cwd = temporaryDirectory({
      'svc.json': '{"project":"blog"}',
      Procfile: 'web: node .',
      'index.js': '',
    })
    const settings = { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } }
    const { stderr } = await svc(['deploy'], { ...settings, terminal: true })
    expect(stderr).toMatch(/100%.*\rStarting the app …/)
    expect(stderr.endsWith('\r\x1b[K')).toBe(true)
    expect((await svc(['deploy'], settings)).stderr).toBe('')
  })
})
