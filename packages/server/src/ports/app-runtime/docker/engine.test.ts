import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Engine } from './engine.ts'

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
