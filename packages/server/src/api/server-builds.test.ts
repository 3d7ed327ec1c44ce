// Server apps that are built from a repository. Packages are written by hand, so that no registry is needed.
import { afterEach, describe, expect, it } from 'vitest'
import { type GitProject, newGitProject } from '../testing/git-project.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

const serve = (answer: string) =>
  `require('node:http').createServer((q, s) => s.end(${answer})).listen(process.env.PORT, process.env.HOSTNAME)`

/** What pnpm leaves in node_modules: packages in a store, and links to them. */
const pnpmLayout = [
  'store=node_modules/.pnpm/greet@1.0.0/node_modules/greet',
  'mkdir -p $store node_modules/.bin',
  'echo \'{"name":"greet","main":"index.js"}\' > $store/package.json',
  'echo "module.exports = () => \'hello from a link\'" > $store/index.js',
  'printf \'#!/usr/bin/env node\\nrequire("../../../../../server.js")\\n\' > $store/cli.js',
  'chmod +x $store/cli.js',
  'ln -s .pnpm/greet@1.0.0/node_modules/greet node_modules/greet',
  'ln -s ../greet/cli.js node_modules/.bin/greet',
].join(' && ')

onEveryServer(server => {
  const projects: GitProject[] = []
  afterEach(async () => {
    for (const { copy } of projects.splice(0)) await copy.remove()
  })

  async function newProject(settings = {}) {
    const project = await newGitProject(server(), settings)
    projects.push(project)
    return project
  }

  describe('a server app from git', () => {
    it('keeps the links of pnpm and the programs in .bin', async () => {
      const { copy, push, name } = await newProject({ install_cmd: pnpmLayout })
      await copy.commit({
        'package.json': '{"name":"x"}',
        Procfile: 'web: node_modules/.bin/greet\n',
        'server.js': serve("require('greet')()"),
      })
      expect((await push('main')).stderr).toContain('Live: ')
      expect((await server().site(name)).text).toBe('hello from a link')
    })

    it('starts by the script of package.json, after its build', async () => {
      const { copy, push, name, path, owner } = await newProject({ install_cmd: 'true' })
      await send(server(), `PUT ${path}/env/WORD`, owner, { value: 'of the build', scope: 'build' })
      await send(server(), `PUT ${path}/env/LATER`, owner, { value: 'of the start', scope: 'runtime' })
      const scripts = { build: 'echo "module.exports = \'$WORD$LATER\'" > made.js', start: 'node server.js' }
      await copy.commit({
        'package.json': JSON.stringify({ name: 'x', scripts }),
        'server.js': serve("[require('./made.js'), process.env.WORD, process.env.LATER].join('|')"),
      })
      await push('main')
      expect((await server().site(name)).text).toBe('of the build||of the start')
    })

    it('that does not start fails its build with its own words, and what was live stays', async () => {
      const { copy, push, name, builds } = await newProject()
      await copy.commit({ Procfile: 'web: node server.js\n', 'server.js': serve("'good'") })
      await push('main')
      await copy.commit({ 'server.js': "console.error('no database here'); process.exit(3)" })
      const pushed = await push('main')
      expect(pushed.code).toBe(0)
      expect(pushed.stderr).toContain('no database here')
      expect((await builds())[0]).toMatchObject({
        status: 'failed',
        deployment_id: null,
        error: expect.stringContaining('no database here'),
      })
      expect((await server().site(name)).text).toBe('good')
    })

    it('has a preview for its branch, which is promoted with the variables of production', async () => {
      const { copy, push, name, path, owner, builds } = await newProject()
      await send(server(), `PUT ${path}/env/WORD`, owner, { value: 'configured', scope: 'runtime' })
      await copy.commit({
        Procfile: 'web: node server.js\n',
        'server.js': serve("'one ' + process.env.WORD"),
      })
      await push('main')
      await copy.commit({ 'server.js': serve("'two ' + process.env.WORD") })
      await push('main:next')
      expect((await server().site(`next--${name}`)).text).toBe('two configured')
      expect((await server().site(name)).text).toBe('one configured')
      const [{ deployment_id: id }] = await builds()
      expect((await send(server(), `POST ${path}/deployments/${id}/promote`, owner)).status).toBe(200)
      expect((await server().site(name)).text).toBe('two configured')
      await push('--delete', 'next')
      expect((await server().site(name)).text).toBe('two configured')
      expect((await server().site(`next--${name}`)).status).toBe(404)
    })
  })
})
