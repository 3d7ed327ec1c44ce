import { describe, expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onEveryServer(server => {
  const newProject = (settings = {}) => gitProjectOfTest(server(), settings)

  describe('a push', () => {
    it('puts a site without a package.json online as it is, and says so to the person who pushed', async () => {
      const { copy, push, name, builds, owner, path } = await newProject()
      const sha = await copy.commit(
        { 'index.html': 'from git', 'a/b.html': 'deep' },
        'Say hello\n\nat length',
      )
      const pushed = await push('main')
      expect(pushed.code).toBe(0)
      expect(pushed.stderr).toMatch(/remote: Checking out/)
      expect(pushed.stderr).toContain(`Live: ${server().running.urls.site(name)}`)
      expect((await server().site(name)).text).toBe('from git')
      expect((await server().site(name, '/a/b')).text).toBe('deep')
      const [build] = await builds()
      expect(build).toMatchObject({
        id: expect.stringMatching(/^bld_[a-z0-9]{16}$/),
        status: 'succeeded',
        branch: 'main',
        commit_sha: sha,
        commit_message: 'Say hello\n\nat length',
        author: 'Ada',
        error: null,
      })
      const { json } = await send(server(), `GET ${path}`, owner)
      expect(json.active_deployment_id).toBe(build.deployment_id)
      expect(json.deployments[0]).toMatchObject({ git_sha: sha, created_by: owner.login })
      expect(json.repo).toMatchObject({ branch: 'main', previews: true })
    })

    it('builds with the command of package.json and publishes the folder that it makes', async () => {
      const { copy, push, name, builds, log, owner, path } = await newProject()
      await send(server(), `PUT ${path}/env/GREETING`, owner, { value: 'hello-from-env', scope: 'build' })
      await send(server(), `PUT ${path}/env/HIDDEN`, owner, { value: 'runtime-only', scope: 'runtime' })
      const build =
        "const fs=require('fs');fs.mkdirSync('dist');fs.writeFileSync('dist/index.html',['GREETING','HIDDEN','SVCD_DATA_DIR'].map(k=>process.env[k]).join(' '));console.log('value:',process.env.GREETING)"
      await copy.commit({
        'package.json': JSON.stringify({ name: 'x', scripts: { build: 'node build.js' } }),
        'build.js': build,
      })
      expect((await push('main')).code).toBe(0)
      expect((await server().site(name)).text).toBe('hello-from-env  ')
      const [{ id }] = await builds()
      const text = await log(id)
      expect(text).toMatch(/^Installing: npm install/m)
      expect(text).toMatch(/^Building: npm run build/m)
      expect(text).toContain('value: [secret]')
      expect(text).not.toContain('hello-from-env')
    })

    it('succeeds where its build fails, and what was live stays live', async () => {
      const { copy, push, name, builds, owner } = await newProject()
      await copy.commit({ 'index.html': 'good' })
      await push('main')
      const lastBuild = async () => (await send(server(), 'GET /projects', owner)).json.projects[0].last_build
      expect(await lastBuild()).toMatchObject({ status: 'succeeded', branch: 'main' })
      const scripts = { build: 'echo about to fail; exit 3' }
      await copy.commit({ 'package.json': JSON.stringify({ name: 'x', scripts }) })
      const pushed = await push('main')
      expect(pushed.code).toBe(0)
      expect(pushed.stderr).toContain('about to fail')
      const [build] = await builds()
      expect(build).toMatchObject({ status: 'failed', deployment_id: null })
      expect(build.error).toMatch(/^Building failed: the command ended with code/)
      expect(await lastBuild()).toEqual({
        ...{ id: build.id, status: 'failed', branch: 'main', at: build.created_at },
      })
      expect((await server().site(name)).text).toBe('good')
    })

    it('with a package.json that cannot be read is no static site: the build fails and says why', async () => {
      const { copy, push, builds, name } = await newProject()
      await copy.commit({ 'package.json': 'broken', 'secret.js': 'x' })
      expect((await push('main')).stderr).toMatch(/package\.json/)
      expect((await builds())[0]).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('Installing failed'),
      })
      expect((await server().site(name, '/secret.js')).status).toBe(404)
    })

    it('to another branch makes a preview, which goes when the branch is deleted', async () => {
      const { copy, push, name, builds, untilEnded } = await newProject()
      await copy.commit({ 'index.html': 'production' })
      await push('main')
      await copy.git('switch', '--quiet', '-c', 'feature')
      await copy.commit({ 'index.html': 'preview' })
      const pushed = await push('feature')
      expect(pushed.stderr).toContain('Preview: ')
      expect((await server().site(`feature--${name}`)).text).toBe('preview')
      expect((await server().site(name)).text).toBe('production')
      const [build] = await builds()
      expect(await untilEnded(build.id)).toMatchObject({ branch: 'feature', status: 'succeeded' })
      await push('--delete', 'feature')
      expect((await server().site(`feature--${name}`)).status).toBe(404)
      expect((await server().site(name)).text).toBe('production')
    })

    it('to another branch builds nothing where previews are off', async () => {
      const { copy, push, builds } = await newProject({ previews: false })
      await copy.commit({ 'index.html': 'x' })
      const pushed = await push('main:other')
      expect(pushed.stderr).toContain('previews are off')
      expect(await builds()).toEqual([])
    })

    it.each(['[skip ci]', '[ci skip]', '[SKIP SVC]'])(
      'builds nothing where its message says %s',
      async words => {
        const { copy, push, builds } = await newProject()
        await copy.commit({ 'index.html': 'x' }, `Tidy ${words}`)
        expect((await push('main')).stderr).toContain(words)
        expect(await builds()).toEqual([])
      },
    )

    it('builds the one folder of a monorepo that the project names, and only where that changed', async () => {
      const { copy, push, name, builds } = await newProject({ root_dir: 'apps/web/' })
      await copy.commit({ 'apps/web/index.html': 'web 1', 'apps/api/x.txt': '1' })
      await push('main')
      expect((await server().site(name)).text).toBe('web 1')
      await copy.commit({ 'apps/api/x.txt': '2' })
      expect((await push('main')).stderr).toContain('nothing changed in apps/web')
      await copy.commit({ 'apps/web/index.html': 'web 2' })
      await push('main')
      expect((await server().site(name)).text).toBe('web 2')
      expect(await builds()).toHaveLength(2)
    })

    it('runs a server with what it installed', async () => {
      const { copy, push, name } = await newProject()
      await copy.commit({
        'package.json': JSON.stringify({ name: 'x', dependencies: { greet: 'file:./greet' } }),
        'greet/package.json': JSON.stringify({ name: 'greet', version: '1.0.0', main: 'index.js' }),
        'greet/index.js': "module.exports = 'hello from a server'",
        '.npmrc': 'install-links=true\n',
        Procfile: 'web: node server.js\n',
        'server.js':
          "require('http').createServer((q,s)=>s.end(require('greet'))).listen(process.env.PORT, process.env.HOSTNAME)",
      })
      const pushed = await push('main')
      expect(pushed.stderr).toContain('Live: ')
      expect((await server().site(name)).text).toBe('hello from a server')
    })

    it('runs a server whose build does not hold its packages', async () => {
      const { copy, push, name } = await newProject()
      const entry =
        "import greet from 'greet'; import http from 'node:http'; http.createServer((q, s) => s.end(greet)).listen(process.env.PORT, process.env.HOSTNAME)"
      const build = `const fs = require('fs'); fs.mkdirSync('dist/server', { recursive: true }); fs.writeFileSync('dist/server/entry.mjs', ${JSON.stringify(entry)})`
      const packageOf = (of: string) => JSON.stringify({ name: of, version: '1.0.0', main: 'index.js' })
      await copy.commit({
        'package.json': JSON.stringify({
          name: 'x',
          scripts: { build: 'node build.js' },
          dependencies: { astro: 'file:./astro', greet: 'file:./greet' },
        }),
        'build.js': build,
        'astro/package.json': packageOf('astro'),
        'greet/package.json': packageOf('greet'),
        'greet/index.js': "module.exports = 'hello from outside'",
        '.npmrc': 'install-links=true\n',
      })
      expect((await push('main')).stderr).toContain('Live: ')
      expect((await server().site(name)).text).toBe('hello from outside')
    })

    it('runs a server that the root of a workspace without a lock file starts', async () => {
      const { copy, push, name } = await newProject()
      const scripts = { start: 'npm start --workspace api' }
      const app = { name: 'api', version: '1.0.0', scripts: { start: 'node server.js' } }
      await copy.commit({
        'package.json': JSON.stringify({ name: 'all', workspaces: ['apps/*', 'libs/*'], scripts }),
        'apps/api/package.json': JSON.stringify({ ...app, dependencies: { greet: '*' } }),
        'apps/api/server.js':
          "require('http').createServer((q, s) => s.end(require('greet'))).listen(process.env.PORT, process.env.HOSTNAME)",
        'libs/greet/package.json': JSON.stringify({ name: 'greet', version: '1.0.0', main: 'index.js' }),
        'libs/greet/index.js': "module.exports = 'hello from below'",
      })
      expect((await push('main')).stderr).toContain('Live:')
      expect((await server().site(name)).text).toBe('hello from below')
    })

    it('runs a server of a workspace, whose packages lie above it', async () => {
      const { copy, push, name } = await newProject({ root_dir: 'apps/api' })
      const app = {
        name: 'api',
        version: '1.0.0',
        scripts: { start: 'node server.js' },
        dependencies: { greet: '*' },
      }
      const greet = { name: 'greet', version: '1.0.0', main: 'index.js' }
      const workspaces = ['apps/*', 'libs/*']
      await copy.commit({
        'package.json': JSON.stringify({ name: 'all', workspaces }),
        'package-lock.json': JSON.stringify({
          ...{ name: 'all', lockfileVersion: 3, requires: true },
          packages: {
            '': { name: 'all', workspaces },
            'apps/api': app,
            'libs/greet': greet,
            'node_modules/api': { resolved: 'apps/api', link: true },
            'node_modules/greet': { resolved: 'libs/greet', link: true },
          },
        }),
        'apps/api/package.json': JSON.stringify(app),
        'apps/api/server.js':
          "require('http').createServer((q, s) => s.end(require('greet'))).listen(process.env.PORT, process.env.HOSTNAME)",
        'libs/greet/package.json': JSON.stringify(greet),
        'libs/greet/index.js': "module.exports = 'hello from the workspace'",
      })
      expect((await push('main')).stderr).toContain('Installing: npm ci')
      expect((await server().site(name)).text).toBe('hello from the workspace')
    })

    it('reaches no file outside the repository by links in it', async () => {
      const { copy, push, name, builds } = await newProject({ output_dir: 'out' })
      await copy.commit({ 'index.html': 'x' })
      await copy.git('config', 'core.symlinks', 'true')
      const { symlink } = await import('node:fs/promises')
      await symlink('/etc', `${copy.dir}/out`)
      await symlink('/etc/passwd', `${copy.dir}/passwd.txt`)
      await copy.commit({})
      await push('main')
      const [build] = await builds()
      expect(build).toMatchObject({ status: 'failed', error: expect.stringContaining("no folder 'out'") })
      expect((await server().site(name, '/passwd.txt')).status).toBe(404)
    })
  })
})
