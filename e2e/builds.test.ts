// The platform is killed in the middle of a build: the build begins again, once, and nothing of the push is lost.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@svc/contract/client'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { expect, onTestFinished, test } from 'vitest'
import { Place, type Svcd } from './svcd.ts'

const run = promisify(execFile)

test('a build whose builder is killed begins again, and one that is killed twice has failed with a reason', async () => {
  const place = await Place.make()
  let svcd: Svcd | undefined = await place.start()
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-killed-'))
  onTestFinished(async () => {
    await svcd?.stop('SIGKILL')
    await place.remove()
    await rm(dir, { recursive: true, force: true })
  })
  const token = await place.token('ada')
  const call = () => createClient({ baseUrl: `http://127.0.0.1:${svcd?.port}`, token })
  const params = { name: 'killed' }
  await call()('POST /projects', { body: params })
  const body = { repo: 'ada/killed', install_cmd: 'true', build_cmd: 'echo begun; sleep 600' }
  await call()('POST /projects/:name/repo', { params, body })

  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' },
    })
  await git('init', '--quiet', '--initial-branch=main')
  await writeFile(path.join(dir, 'index.html'), 'hello')
  await git('add', '--all')
  await git('commit', '--quiet', '-m', 'hello')
  const pushing = git('push', `http://git:${token}@127.0.0.1:${svcd.port}/git/ada/killed.git`, 'main').catch(
    () => undefined,
  )

  const build = async () => (await call()('GET /projects/:name/builds', { params })).builds[0]
  const begun = async () => {
    const { id = '' } = (await build()) ?? {}
    const path = `http://127.0.0.1:${svcd?.port}/projects/killed/builds/${id}/log`
    const log = await (await fetch(path, { headers: { authorization: `Bearer ${token}` } })).text()
    return log.split('\n').filter(line => line === 'begun').length
  }
  await eventually(async () => (await begun()) === 1)
  svcd.child.kill('SIGKILL')
  await svcd.ended
  await pushing
  svcd = await place.start()
  await eventually(async () => (await begun()) === 2)
  svcd.child.kill('SIGKILL')
  await svcd.ended
  svcd = await place.start()
  await eventually(async () => (await build())?.status === 'failed')
  expect((await build())?.error).toContain('The builder stopped twice')
})
