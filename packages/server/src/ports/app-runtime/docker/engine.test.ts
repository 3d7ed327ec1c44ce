import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Engine, isLayerMissing } from './engine.ts'

/** An engine that tells its version, or none, and answers with the path of the request. */
async function engineOf(version: string | undefined): Promise<Engine> {
  const server = createServer((req, res) => {
    if (version !== undefined) res.setHeader('api-version', version)
    res.end(JSON.stringify(req.url))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return new Engine(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

test.each([
  ['1.54', '/v1.44/info'],
  ['1.44', '/v1.44/info'],
  ['1.41', '/v1.41/info'],
  [undefined, '/v1.40/info'],
  ['nonsense', '/v1.40/info'],
])('an engine of version %s is asked for %s', async (version, path) => {
  const engine = await engineOf(version)
  expect(await engine.call('GET', '/info')).toBe(path)
  expect(await engine.answers()).toBe(true)
})

test.each([
  [
    true,
    'failed to copy files: lchown /var/lib/docker/overlay2/a19dc6a8396487c4/merged/srv: no such file or directory',
  ],
  [
    true,
    'error creating overlay mount to /var/lib/docker/overlay2/6a94c6a8396487c4-init/merged/dev: no such file or directory',
  ],
  [
    false,
    'COPY failed: file not found in build context or excluded by .dockerignore: stat app.cjs: file does not exist',
  ],
  [false, 'COPY failed: stat app/merged/app.cjs: no such file or directory'],
])('whether a layer was not mounted yet (%s) is read from: %s', (isMissing, message) => {
  expect(isLayerMissing(message)).toBe(isMissing)
})
