import { afterAll, describe, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { describeRuntime } from '../conformance.ts'
import { DockerRuntime } from './runtime.ts'
import { openTestEngine } from './testbed.ts'

const engine = await openTestEngine()
afterAll(() => engine.close())

if ('missing' in engine) {
  console.warn(`The tests of apps as containers are skipped: ${engine.missing}`)
  describe.skip(`apps as containers (${engine.missing})`, () => test('all of it', () => undefined))
} else {
  const { host, image } = engine
  const network = `svc-t${randomText(8)}`
  describeRuntime('apps as containers', {
    open: async nodeId =>
      new DockerRuntime({ host, nodeId, image, network, runtime: undefined, outbound: true }),
    isolates: true,
    limits: true,
  })
}
