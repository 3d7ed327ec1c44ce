// What svc.json and .svcignore of a repository say holds for its builds, as it does for `svc deploy --build`.
import { expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const newProject = (settings = {}) => gitProjectOfTest(server(), settings)

  const statuses = async (name: string, ...paths: string[]) =>
    await Promise.all(paths.map(async path => (await server().site(name, path)).status))

  it('a push builds with the command of svc.json and publishes the folder that it names', async () => {
    const { copy, push, name, builds } = await newProject()
    const build = 'mkdir -p made/site && echo made by svc.json > made/site/index.html'
    await copy.commit({ 'svc.json': JSON.stringify({ build, output: 'made/site' }), 'index.html': 'source' })
    expect((await push('main')).stderr).toContain(`Building: ${build}`)
    expect((await server().site(name)).text).toBe('made by svc.json\n')
    await copy.commit({ 'svc.json': JSON.stringify({ build: 'true', output: 'made/site' }) })
    await push('main')
    expect((await builds())[0]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^The build made no folder 'made\/site' \(svc\.json\)\. /),
    })
    expect((await server().site(name)).text).toBe('made by svc.json\n')
  })

  it('a push with a broken svc.json fails before anything is installed, with the words of the command line', async () => {
    const { copy, push, name, builds } = await newProject()
    await copy.commit({ 'index.html': 'good' })
    await push('main')
    await copy.commit({ 'index.html': 'bad', 'svc.json': '{ "project": "x", }', 'package.json': '{}' })
    const pushed = await push('main')
    const words = 'svc.json is not valid JSON. Correct or remove it. Then push again.'
    expect(pushed.code).toBe(0)
    expect(pushed.stderr).toContain(words)
    expect(pushed.stderr).not.toContain('Installing')
    expect((await builds())[0]).toMatchObject({ status: 'failed', error: words, deployment_id: null })
    expect((await server().site(name)).text).toBe('good')
  })

  it('a push says what to do for the disk that svc.json asks for, and adds none', async () => {
    const { copy, push, name } = await newProject()
    await copy.commit({ 'index.html': 'hi', 'svc.json': '{ "disk": { "size": "2GB", "path": "/data" } }' })
    const { stderr } = await push('main')
    expect(stderr).toContain('An admin adds it: svc disk add --size 2GB --path /data')
    expect((await server().site(name)).text).toBe('hi')
  })

  it('a push publishes neither svc.json and .svcignore nor what the rules leave out', async () => {
    const { copy, push, name } = await newProject()
    await copy.commit({
      'svc.json': '{}',
      '.svcignore': '*.map\n/drafts/\n!keep.map\n',
      'index.html': 'front',
      'a.map': '',
      'keep.map': '',
      'drafts/a.html': '',
      'posts/drafts/a.html': '',
      'posts/svc.json': '{}',
    })
    await push('main')
    expect(await statuses(name, '/', '/keep.map', '/posts/drafts/a', '/posts/svc.json')).toEqual([
      200, 200, 200, 200,
    ])
    expect(await statuses(name, '/svc.json', '/.svcignore', '/a.map', '/drafts/a')).toEqual([
      404, 404, 404, 404,
    ])
  })

  it('a push obeys the .svcignore of the project and the one in the output, which wins', async () => {
    const { copy, push, name, builds } = await newProject({ output_dir: 'public' })
    const files = { 'public/index.html': '', 'public/a.map': '', 'public/keep.map': '' }
    await copy.commit({ ...files, '.svcignore': '*.map', 'public/.svcignore': '!keep.map' })
    await push('main')
    expect(await statuses(name, '/', '/keep.map', '/a.map')).toEqual([200, 200, 404])
    await copy.commit({ 'public/.svcignore': '*' })
    await push('main')
    expect((await builds())[0]).toMatchObject({
      status: 'failed',
      error: 'Nothing to deploy: .svcignore leaves out every file.',
    })
    expect(await statuses(name, '/')).toEqual([200])
  })
})
