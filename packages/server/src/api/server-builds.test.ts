// Server apps that are built from a repository. Packages are written by hand, so that no registry is needed.
import { describe, expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
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

/** Makes three packages as pnpm does, and copies the entry of a server to where Astro puts it. */
const packages = [
  'for it in used lazy astro; do store=node_modules/.pnpm/$it@5/node_modules/$it; mkdir -p $store',
  'echo "{\\"name\\":\\"$it\\",\\"version\\":\\"5.0.0\\"}" > $store/package.json',
  'echo "module.exports = \'$it\'" > $store/index.js',
  'ln -s .pnpm/$it@5/node_modules/$it node_modules/$it; done',
  'echo read lazy > node_modules/lazy/data.txt',
  'if [ -e entry.mjs ]; then mkdir -p dist/server && cp entry.mjs dist/server; fi',
].join('; ')
const withTooLargePackage = `${packages}; for i in 1 2 3 4 5 6 7 8 9 10 11; do truncate -s 24M node_modules/astro/$i.bin; done`
const withTooLargeFile = `${packages}; truncate -s 26M node_modules/astro/large.node`

/** bun has no command that removes development packages. Those of other managers may call the registry. */
const noPruning = { 'bun.lock': '{}' }

onEveryServer(server => {
  const newProject = (settings = {}) => gitProjectOfTest(server(), settings)

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

    it('of a framework is published with the packages that it imports', async () => {
      const { copy, push, name, path, owner } = await newProject({
        install_cmd: 'true',
        build_cmd: withTooLargePackage,
      })
      await copy.commit({
        'package.json': JSON.stringify({
          name: 'x',
          type: 'module',
          dependencies: { astro: '5', used: '1', lazy: '1' },
        }),
        ...noPruning,
        'entry.mjs': `import { createRequire } from 'node:module'; import http from 'node:http'; import fs from 'node:fs'
import used from 'used'
const require = createRequire(import.meta.url)
const lazy = () => fs.readFileSync(require.resolve('lazy').replace('index.js', 'data.txt'), 'utf8').trim()
http.createServer((q, s) => s.end('hello ' + used + ', ' + lazy())).listen(process.env.PORT, process.env.HOSTNAME)`,
      })
      const { stderr } = await push('main')
      expect(stderr).toContain('Kept 2 of 3 packages: those that the server imports')
      expect(stderr).toContain('Left out, because no code of the server imports it: astro')
      expect((await server().site(name)).text).toBe('hello used, read lazy')
      const { deployments } = (await send(server(), `GET ${path}`, owner)).json
      expect(deployments[0].framework).toBe('Astro')
    })

    it('that Node alone starts is published without the packages that it does not need', async () => {
      const { copy, push, name } = await newProject({ install_cmd: withTooLargePackage, build_cmd: '' })
      await copy.commit({
        ...noPruning,
        'package.json': JSON.stringify({ name: 'x', dependencies: { used: '1' } }),
        Procfile: 'web: NODE_ENV=production node server.cjs\n',
        'views/page.txt': 'a view',
        'server.cjs': serve(
          "require('used') + ' ' + require('node:fs').readFileSync('views/' + ['page.txt'], 'utf8')",
        ),
      })
      expect((await push('main')).stderr).toContain('Kept 1 of 3 packages: those that the server imports')
      expect((await server().site(name)).text).toBe('used a view')
    })

    it('is published even if npm cannot remove the development packages without the registry', async () => {
      const { copy, push, name } = await newProject({ install_cmd: withTooLargePackage, build_cmd: '' })
      await copy.commit({
        '.npmrc': 'package-lock=false\nregistry=http://192.0.2.1/\n',
        'package.json': JSON.stringify({ name: 'x', dependencies: { used: '5', 'not-installed': '1' } }),
        Procfile: 'web: node server.cjs\n',
        'server.cjs': serve("require('used')"),
      })
      const { stderr } = await push('main')
      expect(stderr).toMatch(/ENOTCACHED.*The development packages could not be removed/s)
      expect(stderr).toContain('Kept 1 of 3 packages: those that the server imports')
      expect((await server().site(name)).text).toBe('used')
    })

    it('that another program starts keeps all its packages but for files that are too large', async () => {
      const { copy, push, name } = await newProject({ install_cmd: withTooLargeFile, build_cmd: '' })
      await copy.commit({
        ...noPruning,
        'package.json': JSON.stringify({ name: 'x', dependencies: { used: '1' } }),
        Procfile: 'web: sh start.sh\n',
        'start.sh': 'exec node server.cjs\n',
        'server.cjs': serve("require('used') + require('astro')"),
      })
      const { stderr } = await push('main')
      expect(stderr).toContain('The server has a file of 26 MB, and a file may have 25 MB.')
      expect(stderr).toContain('Kept 3 of 3 packages: all that are installed.')
      expect(stderr).toContain('too large for a deployment: node_modules/.pnpm/astro@5/node_modules/astro/')
      expect((await server().site(name)).text).toBe('usedastro')
    })

    it('of Next.js runs the server of its author, and not the standalone one', async () => {
      const build =
        'mkdir -p .next/standalone .next/cache && echo x > .next/BUILD_ID && echo x > .next/cache/x && echo "$NEXT_PRIVATE_STANDALONE" > mode'
      const { copy, push, name } = await newProject({ install_cmd: 'true', build_cmd: build })
      await copy.commit({
        'package.json': JSON.stringify({
          dependencies: { next: '16' },
          scripts: { start: 'WORD=hello node server.js --fast' },
        }),
        'server.js': serve(
          "JSON.stringify([process.env.WORD, process.argv[2], fs.readFileSync('mode', 'utf8').trim(), fs.existsSync('.next/cache/x')])",
        ).replace(/^/, "const fs = require('node:fs');"),
      })
      expect((await push('main')).stderr).toContain('Live: ')
      expect(JSON.parse((await server().site(name)).text)).toEqual(['hello', '--fast', '', false])
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
