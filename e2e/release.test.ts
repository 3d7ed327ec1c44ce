// A release as a stranger installs it: npm, the package, an empty folder, and no registry.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Svcd } from './svcd.ts'
import { visit } from './visit.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const installedAtMost = 60 * 1024 ** 2

describe('a release', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-release-'))
  const [release, home] = [path.join(dir, 'release'), path.join(dir, 'home')]
  const bin = (name: string) => path.join(home, 'node_modules/.bin', name)
  /** No registry answers there. */
  const env = { PATH: process.env.PATH, HOME: home, npm_config_registry: 'http://127.0.0.1:9/' }

  beforeAll(async () => {
    mkdirSync(home)
    await run(process.execPath, [path.join(repository, 'scripts/release.mjs'), release])
    await run('npm', ['install', '--no-audit', '--no-fund', path.join(release, packageName())], {
      cwd: home,
      env,
    })
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  const packageName = () => readdirSync(release).find(name => name.endsWith('.tgz')) ?? ''

  test('has the package, its checksum, and the list of its parts', () => {
    expect(readdirSync(release).toSorted()).toEqual(['SHA256SUMS', packageName(), 'svcd.cdx.json'].toSorted())
    for (const line of readFileSync(path.join(release, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
      const [sum, name = ''] = line.split('  ')
      expect(sum).toBe(
        createHash('sha256')
          .update(readFileSync(path.join(release, name)))
          .digest('hex'),
      )
    }
    const { components } = JSON.parse(readFileSync(path.join(release, 'svcd.cdx.json'), 'utf8'))
    const names = components.map((part: { name: string }) => part.name)
    for (const name of ['@photostructure/sqlite', 'pg', 'preact', 'zod', '@vercel/nft'])
      expect(names).toContain(name)
    expect(names).not.toContain('vite')
  })

  test('has every file that svcd looks for beside its bundle', () => {
    const sources = path.join(repository, 'packages/server/src')
    const texts = (readdirSync(sources, { recursive: true }) as string[])
      .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map(file => readFileSync(path.join(sources, file), 'utf8'))
    const named = texts.flatMap(text =>
      [...text.matchAll(/programFile\('([^']+)'\)/g)].map(([, file]) => file!),
    )
    expect(named).toContain('../plans.json')
    const bundle = path.join(home, 'node_modules/svcd/server/bundle')
    expect(named.filter(file => !existsSync(path.join(bundle, file)))).toEqual([])
  })

  test('has the hooks for DNS providers as programs', () => {
    const hooks = readdirSync(path.join(repository, 'deploy/dns')).filter(file => file !== 'hook.mjs')
    const folder = path.join(home, 'node_modules/svcd/deploy/dns')
    for (const file of hooks) {
      accessSync(path.join(folder, file), constants.X_OK)
      // It says what it wants, so it finds what it imports.
      const { stderr } = spawnSync(path.join(folder, file), { encoding: 'utf8' })
      expect(stderr).toContain('usage: <hook>')
    }
  })

  test('takes at most 60 MB when it is installed, and has no sources, scripts or tests', async () => {
    const { stdout } = await run('du', ['-sb', home])
    expect(Number.parseInt(stdout, 10)).toBeLessThan(installedAtMost)
    const files = readdirSync(path.join(home, 'node_modules'), { recursive: true }) as string[]
    expect(files.filter(file => /\.test\.|\.map$|binding\.gyp$/.test(file))).toEqual([])
  })

  test('starts, shows the dashboard, hands out svc, and takes a deploy of its own svc', async () => {
    const own = { ...env, SVCD_PORT: '0', SVCD_DATA_DIR: path.join(dir, 'data'), SVCD_LOG_LEVEL: 'warn' }
    const svcd = new Svcd(spawn(bin('svcd'), ['start'], { cwd: home, env: own, stdio: 'pipe' }))
    onTestFinished(async () => void (await svcd.stop('SIGKILL')))
    await svcd.ready()
    const { stdout: token } = await run(bin('svcd'), ['users', 'create', 'ada', '--token'], {
      cwd: home,
      env: own,
    })
    expect((await visit(svcd.url, '/svc.tgz')).status).toBe(200)
    const dashboard = await visit(`http://app.localhost:${svcd.port}`, '/')
    expect(dashboard.body.toString()).toContain('<script')
    const site = path.join(home, 'site')
    mkdirSync(site)
    writeFileSync(path.join(site, 'index.html'), 'released')
    const as = { ...env, SVC_TOKEN: token.trim(), SVC_API_URL: svcd.url }
    await run(bin('svc'), ['init', 'first'], { cwd: site, env: as })
    await run(bin('svc'), ['deploy', '.'], { cwd: site, env: as })
    expect((await visit(`http://first.localhost:${svcd.port}`, '/')).body.toString()).toBe('released')
    expect(existsSync(path.join(home, 'node_modules/svcd/server/bundle/main.js'))).toBe(true)
    expect(await svcd.stop()).toBe(0)
  })
})
