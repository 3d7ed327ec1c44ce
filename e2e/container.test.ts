// The image of the Dockerfile: built from a release, run as its own user, healthy, with its data in a volume.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openTestEngine } from '@svc/server/dist/ports/app-runtime/docker/testbed.js'
import { afterAll, describe, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const engine = await openTestEngine()
afterAll(() => engine.close())

if ('missing' in engine) {
  console.warn(`The test of the image is skipped: ${engine.missing}`)
  describe.skip(`the image (${engine.missing})`, () => test('all of it', () => undefined))
} else
  test('the image runs svcd as a user of its own, becomes healthy, and keeps its data in a volume', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'svc-image-'))
    const name = `svcd-test-${process.pid}`
    // The builder of Docker that needs no plug-in.
    const env = { PATH: process.env.PATH, DOCKER_HOST: engine.host, DOCKER_BUILDKIT: '0', HOME: dir }
    const docker = async (...args: string[]) =>
      (await run('docker', args, { env, maxBuffer: 1024 ** 3 })).stdout.trim()
    const start = () => docker('run', '--detach', '--name', name, '--volume', `${name}:/data`, name)
    const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', name)
    try {
      await run(process.execPath, [path.join(repository, 'scripts/release.mjs'), path.join(dir, 'release')])
      for (const file of ['Dockerfile', '.dockerignore'])
        copyFileSync(path.join(repository, file), path.join(dir, file))
      // Tests have no image of a registry, and no packages of Debian in it.
      await docker(
        'build',
        '--tag',
        name,
        '--build-arg',
        `BASE=${engine.image}`,
        '--build-arg',
        'PACKAGES=',
        dir,
      )
      await start()
      await expect.poll(health, { interval: 1_000 }).toBe('healthy')
      const inside = (...args: string[]) => docker('exec', name, ...args)
      expect(await inside('node', '-p', 'process.getuid()')).toBe('10001')
      expect(await inside('svcd', 'users', 'create', 'ada', '--token')).toMatch(/^svc_/)
      await docker('rm', '--force', name)
      await start()
      await expect.poll(() => inside('svcd', 'users', 'list').catch(() => '')).toContain('ada')
    } finally {
      await docker('rm', '--force', name).catch(() => undefined)
      await docker('volume', 'rm', name).catch(() => undefined)
      await docker('rmi', name).catch(() => undefined)
      rmSync(dir, { recursive: true, force: true })
    }
  })
