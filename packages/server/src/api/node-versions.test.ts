import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestApp } from '../testing/apps.ts'
import { BuiltProject } from '../testing/builds.ts'
import { databases } from '../testing/databases.ts'
import { canHaveOtherNode, otherNodeDir, otherVersion, removeNodeDir } from '../testing/other-node.ts'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'

const own = process.versions.node
const [major] = otherVersion.split('.')
const version = 'process.env.OTHER_NODE || process.version'

const script = `require('node:http').createServer((req, res) => res.end(${version}))
.listen(process.env.PORT, process.env.HOSTNAME)`
const app = { Procfile: 'web: node app.cjs\n', 'app.cjs': script }

describe.runIf(canHaveOtherNode).each(databases())('the Node of a project (%s)', engine => {
  let server: TestServer
  let dir: string
  beforeAll(async () => {
    dir = otherNodeDir()
    // A warning about the program that does not run.
    const logTo = { write: () => undefined }
    server = await TestServer.start(engine, { SVCD_NODE_DIR: dir }, logTo)
  })
  afterAll(async () => {
    await server?.remove()
    removeNodeDir(dir)
  })

  const answerOf = async (name: string): Promise<string> =>
    (await server.request('/', { host: `${name}.localhost` })).text
  const deploymentsOf = async (project: TestApp) => (await project.detail()).deployments

  it('is the own one of the platform if nothing is asked for', async () => {
    const project = await TestApp.create(server)
    await project.deploy(app)
    expect(await answerOf(project.name)).toBe(`v${own}`)
    expect((await deploymentsOf(project))[0]?.node_version).toBe(own)
  })

  it.each([
    ['.nvmrc', `${major}\n`],
    ['.node-version', `v${otherVersion}`],
    ['package.json', JSON.stringify({ engines: { node: `^${major}` } })],
  ])('is the one that %s of an upload asks for', async (file, text) => {
    const project = await TestApp.create(server)
    await project.deploy({ ...app, [file]: text })
    expect(await answerOf(project.name)).toBe(`v${otherVersion}`)
    expect((await deploymentsOf(project))[0]?.node_version).toBe(otherVersion)
  })

  it('is the one that the upload names, and before that the one of the settings', async () => {
    const project = await TestApp.create(server)
    await project.deploy(app, `?node=${major}`)
    expect(await answerOf(project.name)).toBe(`v${otherVersion}`)
    const path = `/projects/${project.name}/node` as const
    const set = await send(server, `PUT ${path}`, project, { node: own })
    const expected = { node: own, standard: own, available: [otherVersion, own] }
    expect([set.status, set.json]).toEqual([200, expected])
    expect((await send(server, `GET ${path}`, project)).json).toEqual(expected)
    await project.deploy({ ...app, '.nvmrc': major! }, `?node=${major}`)
    expect(await answerOf(project.name)).toBe(`v${own}`)
    await send(server, `PUT ${path}`, project, { node: null })
    await project.deploy({ ...app, '.nvmrc': major! })
    expect(await answerOf(project.name)).toBe(`v${otherVersion}`)
  })

  it('is refused, with those that there are, if the platform has none that fits', async () => {
    const project = await TestApp.create(server)
    const refused = await project.upload({ ...app, '.nvmrc': '5' })
    expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_request'])
    expect(refused.json.error.message).toContain(
      `The project asks for Node 5 (.nvmrc). This platform has ${otherVersion}, ${own}.`,
    )
    const setting = await send(server, `PUT /projects/${project.name}/node`, project, { node: 'newest' })
    expect([setting.status, setting.json.error.message]).toEqual([
      400,
      expect.stringContaining("'newest' (the settings of the project) is not a version of Node."),
    ])
  })

  it('does not matter for a static site', async () => {
    const project = await TestApp.create(server)
    await project.deploy({ 'index.html': 'hello', '.nvmrc': '5' })
    expect((await deploymentsOf(project))[0]?.node_version).toBeNull()
  })

  it('builds a push and runs what was built', async () => {
    const project = await BuiltProject.make(server, { install_cmd: 'true' })
    const manifest = {
      engines: { node: `<${major}` },
      scripts: { build: 'node build.cjs', start: 'node app.cjs' },
    }
    const files = {
      ...{ 'package.json': JSON.stringify(manifest), 'app.cjs': script, '.nvmrc': major! },
      'build.cjs': `console.log('built with', ${version}, require('child_process').execSync('npm --version').length > 3)`,
    }
    const first = await project.build(files)
    expect(first.log).toContain(`Node ${otherVersion}, asked for by .nvmrc: ${major}`)
    expect(first.log).toContain(`built with v${otherVersion} true`)
    expect(first.build.status).toBe('succeeded')
    expect(await answerOf(project.name)).toBe(`v${otherVersion}`)
    const named = await project.build({ 'svc.json': JSON.stringify({ node: own }) })
    expect(named.log).toContain(`Node ${own}, asked for by svc.json: ${own}`)
    expect(await answerOf(project.name)).toBe(`v${own}`)
    const failed = await project.build({ 'svc.json': JSON.stringify({ node: 5 }) })
    expect(failed.build).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('asks for Node 5 (svc.json)'),
    })
  })
})
