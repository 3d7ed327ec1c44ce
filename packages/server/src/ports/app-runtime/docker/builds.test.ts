import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { BuiltProject } from '../../../testing/builds.ts'
import { TestServer } from '../../../testing/server.ts'
import { describeBuildSandbox } from '../../build-sandbox/conformance.ts'
import { ContainerBuilds } from './builds.ts'
import { openTestEngine } from './testbed.ts'

const engine = await openTestEngine()
afterAll(() => engine.close())

if ('missing' in engine) {
  console.warn(`The tests of builds in containers are skipped: ${engine.missing}`)
  describe.skip(`builds in containers (${engine.missing})`, () => test('all of it', () => undefined))
} else {
  const { host, image } = engine
  const network = `svc-t${randomText(8)}`

  describeBuildSandbox('builds in containers', {
    open: nodeId =>
      ContainerBuilds.open({
        ...{ host, nodeId, image, network, runtime: undefined },
        ...{ outbound: 'public', webPorts: [80] },
      }),
    isolates: true,
  })

  test('with the docker driver a push is built in a container', async () => {
    const server = await TestServer.start('sqlite', {
      SVCD_RUNNER: 'docker',
      SVCD_DOCKER_HOST: host,
      SVCD_DOCKER_NETWORK: network,
      SVCD_RUNTIME_IMAGE: image,
    })
    onTestFinished(() => server.remove())
    const project = await BuiltProject.make(server)
    const build = `const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', fs.existsSync('/.dockerenv') ? 'in a container' : 'elsewhere')`
    const scripts = { build: 'node build.js' }
    const files = { 'package.json': JSON.stringify({ name: 'x', scripts }), 'build.js': build }
    const { build: ended, log } = await project.build(files)
    await project.copy.remove()
    expect(log).toContain('Building: npm run build')
    expect(ended).toMatchObject({ status: 'succeeded', error: null })
    expect((await server.site(project.name)).text).toBe('in a container')
  })
}
