// Apps in the file layout of npm and pnpm: with a start script, programs in node_modules/.bin, and symbolic links.
import { encodeLinks, linksPath } from '@svc/contract/site'
import { describe, expect, it } from 'vitest'
import { program, TestApp } from '../testing/apps.ts'
import { onEveryServer } from '../testing/server.ts'

const links = (table: Record<string, string>) => ({
  [linksPath]: encodeLinks(new Map(Object.entries(table))),
})

/** A package with a program, as pnpm stores it, and an app that needs both. */
const pnpmApp = {
  'package.json': JSON.stringify({ scripts: { start: 'serve-it app.cjs' }, dependencies: { tool: '1' } }),
  'app.cjs': `process.env.NAME = require('tool')\n${program}`,
  'node_modules/.pnpm/tool@1/node_modules/tool/package.json': '{ "main": "main.cjs" }',
  'node_modules/.pnpm/tool@1/node_modules/tool/main.cjs': `module.exports = 'linked ' + require('helper')`,
  'node_modules/.pnpm/tool@1/node_modules/tool/cli.cjs': `#!/usr/bin/env node\nrequire(process.cwd() + '/' + process.argv[2])`,
  'node_modules/.pnpm/helper@1/node_modules/helper/index.js': `module.exports = 'and helped'`,
}
const pnpmLinks = {
  'node_modules/tool': '.pnpm/tool@1/node_modules/tool',
  'node_modules/.bin/serve-it': '../tool/cli.cjs',
  'node_modules/.pnpm/tool@1/node_modules/helper': '../../helper@1/node_modules/helper',
}

onEveryServer(server => {
  const ask = (app: TestApp, path: string) => server().site(app.name, path)

  describe('an app with links', () => {
    it('finds its packages and their programs through the links', async () => {
      const app = await TestApp.create(server())
      const files = { ...pnpmApp, Procfile: 'web: serve-it app.cjs\n', ...links(pnpmLinks) }
      const answer = await app.upload(files)
      expect([answer.status, answer.json.warnings]).toEqual([201, []])
      expect((await ask(app, '/')).text).toBe('linked and helped')
      expect((await app.detail()).deployments[0]).toMatchObject({ file_count: 7 })
    })

    it('does not serve the list of its links', async () => {
      const app = await TestApp.create(server())
      await app.deploy({ 'index.html': 'a page', ...links({}) })
      expect((await ask(app, `/${linksPath}`)).status).toBe(404)
      await app.deploy({ 'index.html': 'a page', _redirects: `/x /${linksPath} 200!`, ...links({}) })
      expect((await ask(app, '/x')).status).toBe(404)
    })

    it('is refused if a link leads out of the deployment', async () => {
      const app = await TestApp.create(server())
      const hostile: Record<string, string>[] = [
        { passwords: '/etc/passwd' },
        { up: '../..' },
        { root: '.', up: 'root/../x' },
      ]
      for (const bad of hostile) {
        const answer = await app.upload({ ...pnpmApp, ...links(bad) })
        expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_archive'])
        expect(answer.json.error.message).toContain('The link ')
      }
      const answer = await app.upload({ ...pnpmApp, [linksPath]: 'my own notes' })
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_archive'])
    })
  })

  describe('an app with a start script', () => {
    const express = {
      'package.json': JSON.stringify({ scripts: { start: 'NAME=started node server/main' } }),
      'server/main.js': program,
      '.env': 'SECRET=1',
    }

    it('is started with it, and its sources are not served', async () => {
      const app = await TestApp.create(server())
      const answer = await app.upload(express)
      expect(answer.json).toMatchObject({ kind: 'server', framework: 'Node.js', warnings: [] })
      expect((await app.detail()).deployments[0]).toMatchObject({
        start_command: 'NAME=started node server/main',
      })
      for (const path of ['/', '/package.json', '/server/main.js', '/.env'])
        expect((await ask(app, path)).text).toBe('started')
    })

    it('fails, and serves no files, if the program is not built', async () => {
      const app = await TestApp.create(server())
      const { 'server/main.js': _, ...unbuilt } = express
      const answer = await app.upload(unbuilt)
      expect([answer.status, answer.json.error.code]).toEqual([422, 'deployment_failed'])
      expect((await ask(app, '/package.json')).status).toBe(404)
    })

    it('has the files of React Router served by the edge', async () => {
      const app = await TestApp.create(server())
      await app.deploy({
        'package.json': JSON.stringify({ scripts: { start: 'react-router-serve ./build/server/index.js' } }),
        'build/server/index.js': 'module.exports = "app"',
        'build/client/assets/root-BqhVzDkE.js': 'hashed',
        'build/client/favicon.ico': 'icon',
        'node_modules/.bin/react-router-serve': `#!/bin/sh\nNAME=react exec node node_modules/server.cjs`,
        'node_modules/server.cjs': program,
      })
      expect((await ask(app, '/')).text).toBe('react')
      expect((await ask(app, '/favicon.ico')).text).toBe('icon')
      expect((await ask(app, '/assets/root-BqhVzDkE.js')).headers['cache-control']).toContain('immutable')
      expect((await ask(app, '/build/server/index.js')).text).toBe('react')
    })
  })
})
