// Pushes of repositories that need a word of help: sources that nothing can serve, and lock files that do not fit.
import { expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const newProject = (settings = {}) => gitProjectOfTest(server(), settings)

  it('a push of sources that nothing can serve fails with words that help, and what was live stays', async () => {
    const { copy, push, name } = await newProject()
    await copy.commit({ 'index.html': 'good' })
    await push('main')
    for (const [files, words] of [
      [{ 'conf.py': '', 'index.rst': '' }, "a Sphinx site. Run 'make html' on your machine"],
      [{ 'lib/a.py': '', 'requirements.txt': 'flask' }, 'a Python app. Push it with git'],
      [{ 'compose.yaml': '' }, 'a container image. A platform with a container engine builds a Dockerfile'],
    ] as const) {
      await copy.git('rm', '-rq', '.')
      await copy.commit(files)
      const { stderr } = await push('main')
      expect(stderr).toContain('Nothing was published: there is no index.html at the top level')
      expect(stderr).toContain(`These are the sources of ${words}`)
      expect((await server().site(name)).text).toBe('good')
    }
  })

  it('a push whose start script is not known as a server fails, and says how it is started', async () => {
    const { copy, push } = await newProject()
    const manifest = { name: 'x', scripts: { start: 'some-tool --now' } }
    await copy.commit({ 'package.json': JSON.stringify(manifest), 'secret.js': '' })
    const { stderr } = await push('main')
    expect(stderr).toContain("Nothing was published: package.json starts 'some-tool --now'")
    expect(stderr).toContain('web: some-tool --now')
    expect(stderr).not.toContain('Live:')
  })

  it('a push of a Dockerfile to a platform without a container engine says so, and what to do', async () => {
    const { copy, push } = await newProject()
    for (const file of ['Dockerfile', 'server.js']) {
      await copy.commit({ [file]: 'FROM scratch' })
      const { stderr } = await push('main')
      expect(stderr).toContain('This repository has a Dockerfile, and this platform cannot build it')
      expect(stderr).toContain('SVCD_RUNNER=docker')
    }
  })

  it.each([
    ['svc.json', {}, '{"output":"."}'],
    ['the project', { output_dir: './' }, '{}'],
  ])('a push of sources is published where %s says so, with a warning', async (_, settings, svcJson) => {
    const { copy, push, path, owner } = await newProject(settings)
    await copy.commit({ 'hugo.toml': '', 'content/a.md': '', 'svc.json': svcJson })
    expect((await push('main')).stderr).toContain('Warning: There is no index.html at the top level')
    const { deployments } = (await send(server(), `GET ${path}`, owner)).json
    expect(deployments[0].warnings).toEqual([expect.stringContaining('the front page of the site is a 404')])
  })

  it('a lock file that does not fit package.json is not used as it is, and the log says so', async () => {
    const { copy, push, name } = await newProject()
    const lock = { name: 'x', lockfileVersion: 3, requires: true, packages: { '': { name: 'x' } } }
    await copy.commit({
      'package.json': JSON.stringify({
        name: 'x',
        scripts: { build: 'mkdir dist && node -p "require(\'greet\')" > dist/index.html' },
        dependencies: { greet: 'file:greet' },
      }),
      'package-lock.json': JSON.stringify(lock),
      'greet/package.json': '{"name":"greet","version":"1.0.0"}',
      'greet/index.js': "module.exports = 'hello'",
    })
    const { stderr } = await push('main')
    expect(stderr).toContain('Warning: package-lock.json does not fit package.json')
    expect(stderr).toContain('Installing: npm install')
    expect((await server().site(name)).text).toBe('hello\n')
  })

  it('a build of SvelteKit has the variable by which its adapter-auto makes a server of Node', async () => {
    const { copy, push, name } = await newProject({ install_cmd: 'true' })
    const build = 'mkdir build && echo "$GCP_BUILDPACKS" > build/index.html'
    await copy.commit({
      'package.json': JSON.stringify({ scripts: { build }, devDependencies: { '@sveltejs/kit': '^2.0.0' } }),
    })
    await push('main')
    expect((await server().site(name)).text).toBe('true\n')
  })
})
