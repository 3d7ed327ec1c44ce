import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { onEveryServer } from '../testing/server.ts'

const app = { 'index.html': 'the app', 'a.js': 'addEventListener("popstate", show)' }

onEveryServer(server => {
  describe('a git build of a single-page app', () => {
    it('warns until svc.json says how other paths are answered, and then follows that', async () => {
      const { copy, push, name } = await gitProjectOfTest(server())
      await copy.commit(app)
      expect((await push('main')).stderr).toContain('"spa": true to svc.json')
      expect((await server().site(name, '/settings')).status).toBe(404)
      await copy.commit({ 'svc.json': '{"spa":false}' })
      expect((await push('main')).stderr).not.toContain('single-page')
      expect((await server().site(name, '/settings')).status).toBe(404)
      await copy.commit({ 'svc.json': '{"spa":true}', _redirects: '/old / 301' })
      expect((await push('main')).stderr).toContain('Every path without a file shows index.html')
      expect((await server().site(name, '/settings')).text).toBe('the app')
      expect((await server().site(name, '/old')).status).toBe(301)
    })

    it('replaces a symbolic link in the place of the rules, and does not follow it', async () => {
      const { copy, push, name } = await gitProjectOfTest(server())
      await copy.commit({ ...app, 'svc.json': '{"spa":true}' }, 'x [skip ci]')
      await symlink('index.html', path.join(copy.dir, '_redirects'))
      await copy.commit({ 'b.txt': 'b' })
      await push('main')
      expect((await server().site(name, '/settings')).text).toBe('the app')
    })

    it('fails if svc.json says neither yes nor no', async () => {
      const { copy, push } = await gitProjectOfTest(server())
      await copy.commit({ ...app, 'svc.json': '{"spa":"yes"}' })
      expect((await push('main')).stderr).toContain('"spa" in svc.json must be true or false.')
    })
  })
})
