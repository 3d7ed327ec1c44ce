// Git builds by the real program: it is killed in the middle of one, and it runs with a umask that closes its files to others.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@svc/contract/client'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { expect, onTestFinished, test } from 'vitest'
import { Machine } from './svcd.ts'

const run = promisify(execFile)

/** A project whose repository lies at the platform, and a working copy of it. */
async function makeRepository(name: string, settings: { install_cmd?: string; build_cmd?: string } = {}) {
  const machine = await Machine.make()
  let svcd = await machine.start()
  const dir = await mkdtemp(path.join(tmpdir(), `svc-${name}-`))
  onTestFinished(async () => {
    await svcd.stop('SIGKILL')
    await machine.remove()
    await rm(dir, { recursive: true, force: true })
  })
  const token = await machine.token('ada')
  const call = () => createClient({ baseUrl: `http://127.0.0.1:${svcd.port}`, token })
  const params = { name }
  await call()('POST /projects', { body: params })
  await call()('POST /projects/:name/repo', { params, body: { repo: `ada/${name}`, ...settings } })
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' },
    })
  await git('init', '--quiet', '--initial-branch=main')

  return {
    async push(files: Record<string, string>): Promise<void> {
      for (const [file, content] of Object.entries(files)) await writeFile(path.join(dir, file), content)
      await git('add', '--all')
      await git('commit', '--quiet', '-m', 'hello')
      await git('push', `http://git:${token}@127.0.0.1:${svcd.port}/git/ada/${name}.git`, 'main')
    },
    newestBuild: async () => (await call()('GET /projects/:name/builds', { params })).builds[0],
    async log(): Promise<string> {
      const { id = '' } = (await this.newestBuild()) ?? {}
      const url = `http://127.0.0.1:${svcd.port}/projects/${name}/builds/${id}/log`
      return await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text()
    },
    async killPlatform(): Promise<void> {
      svcd.child.kill('SIGKILL')
      await svcd.ended
    },
    async startPlatform(): Promise<void> {
      svcd = await machine.start()
    },
  }
}

test('a build whose builder is killed begins again, and one that is killed twice has failed with a reason', async () => {
  const repository = await makeRepository('killed', {
    install_cmd: 'true',
    build_cmd: 'echo begun; sleep 600',
  })
  const begun = async () => (await repository.log()).split('\n').filter(line => line === 'begun').length
  // The push waits for its build, and ends with the platform.
  const pushing = repository.push({ 'index.html': 'hello' }).catch(() => undefined)
  await eventually(async () => (await begun()) === 1)
  await repository.killPlatform()
  await pushing
  await repository.startPlatform()
  await eventually(async () => (await begun()) === 2)
  await repository.killPlatform()
  await repository.startPlatform()
  await eventually(async () => (await repository.newestBuild())?.status === 'failed')
  expect((await repository.newestBuild())?.error).toContain('The builder stopped twice')
})

test('a second build takes its packages from the cache of the first', async () => {
  const repository = await makeRepository('cached')
  const manifest = {
    name: 'cached',
    version: '1.0.0',
    scripts: { build: 'mkdir dist; echo hi > dist/index.html' },
  }
  const lock = { ...manifest, scripts: undefined, lockfileVersion: 3, packages: { '': { name: 'cached' } } }
  await repository.push({
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(lock),
  })
  expect(await repository.log()).toContain('Installing: npm ci')
  await repository.push({ 'note.txt': 'another commit' })
  const log = await repository.log()
  expect(log).toContain('Restoring the packages of package-lock.json from the cache')
  expect(log).not.toMatch(/could not be used|Installing:/)
})
