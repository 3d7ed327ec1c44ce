import { afterAll, beforeAll, expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { TestServer } from '../testing/server.ts'

// The shortest limit that there is.
const settings = { SVCD_BUILD_MINUTES: '1' }

let server: TestServer

beforeAll(async () => {
  server = await TestServer.start('sqlite', settings)
})

afterAll(() => server.remove())

it('a build that takes too long is ended, and both its error and its log say why', async () => {
  const project = await gitProjectOfTest(server, { build_cmd: 'sleep 600', install_cmd: 'true' })
  await project.copy.commit({ 'package.json': '{}' })
  await project.push('main')
  const [build] = await project.builds()
  const words = 'The build took longer than 1 minute.'
  expect(await project.untilEnded(build.id)).toMatchObject({ status: 'failed', error: words })
  expect((await project.log(build.id)).trimEnd().split('\n').at(-1)).toBe(words)
})
