// Builds of repositories with submodules.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { WorkingCopy } from '../testing/git.ts'
import { StandInHost } from '../testing/git-host.ts'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { plainBuild } from '../testing/github/platform.ts'
import { StandInRepository } from '../testing/github/repositories.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

interface Named {
  path: string
  url: string
  sha: string
}

/** Adds submodules to what will be committed, and returns the file that names them. */
async function submodules(copy: WorkingCopy, ...all: Named[]): Promise<Record<string, string>> {
  for (const { path, sha } of all) {
    await copy.git('update-index', '--add', '--cacheinfo', `160000,${sha},${path}`)
    await mkdir(join(copy.dir, path), { recursive: true })
  }
  const lines = all.map(({ path, url }) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`)
  return { '.gitmodules': lines.join('') }
}

const someSha = '1'.repeat(40)

describe('submodules', () => {
  let host: StandInHost
  let theme: StandInRepository
  let icons: StandInRepository
  let themeSha = ''
  beforeAll(async () => {
    host = await StandInHost.start('gitea', 'ada/site')
    icons = await StandInRepository.make(2, 'ada/icons')
    theme = await StandInRepository.make(3, 'ada/theme')
    host.open.set('ada/icons', icons).set('ada/theme', theme)
    const sha = await icons.push({ 'star.html': 'star' })
    const nested = await submodules(theme.copy, { path: 'icons', url: '../icons.git', sha })
    themeSha = await theme.push({ 'style.html': 'style', ...nested })
  })
  afterAll(() => host?.remove())

  onEveryServer(
    server => {
      it('of public repositories are in the build, with theirs', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        const url = `${host.url}/ada/theme.git`
        const files = await submodules(copy, { path: 'themes/plain', url, sha: themeSha })
        await copy.commit({ 'index.html': 'main part', ...files })
        const { stderr } = await push('main')
        expect(stderr).toContain('Fetching the submodule themes/plain from 127.0.0.1')
        expect(stderr).toContain('Fetching the submodule themes/plain/icons from 127.0.0.1')
        expect((await server().site(name)).text).toBe('main part')
        expect((await server().site(name, '/themes/plain/style')).text).toBe('style')
        expect((await server().site(name, '/themes/plain/icons/star')).text).toBe('star')
      })

      it('may have a URL without .git at a host that redirects it', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        const url = `${host.url}/ada/theme`
        await copy.commit({
          'index.html': 'main part',
          ...(await submodules(copy, { path: 'theme', url, sha: themeSha })),
        })
        await push('main')
        expect((await server().site(name, '/theme/style')).text).toBe('style')
      })

      it('of a repository at another host may be relative, and get no token', async () => {
        const person = await server().account()
        const name = freshName()
        await send(server(), 'POST /projects', person, { name })
        const files = await submodules(host.repository.copy, {
          path: 'theme',
          url: '../theme.git',
          sha: themeSha,
        })
        await host.repository.push({ 'index.html': 'at a host', ...files })
        await send(server(), `POST /projects/${name}/repo`, person, {
          ...{ repo: `${host.repositoryUrl}.git`, access_token: host.token, ...plainBuild },
        })
        await send(server(), `POST /projects/${name}/builds`, person, {})
        await eventually(async () => (await server().site(name)).text === 'at a host')
        expect((await server().site(name, '/theme/icons/star')).text).toBe('star')
      })

      it('that cannot be fetched leave empty folders, and the log says why', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        const private_ = `${host.url}/ada/site.git`
        const all = [
          { path: 'private', url: private_, why: 'there is no such repository, or it is not public' },
          { path: 'relative', url: '../theme.git', why: 'its URL is relative' },
          { path: 'file', url: 'file:///etc', why: 'only https URLs of public repositories are fetched' },
          {
            path: 'secret',
            url: 'https://ada:pass-in-url@example.com/x.git',
            why: 'a name or a password in it',
          },
          { path: 'odd', url: 'nowhere', why: 'its URL cannot be read' },
        ]
        const files = await submodules(copy, ...all.map(row => ({ ...row, sha: someSha })))
        await copy.commit({ 'index.html': 'main part', ...files })
        const { stderr } = await push('main')
        for (const { path, why } of all)
          expect(stderr).toMatch(
            new RegExp(`submodule ${path} is not fetched, its folder is empty: .*${why}`),
          )
        expect(stderr).not.toContain('pass-in-url')
        expect((await server().site(name)).text).toBe('main part')
      })

      it('are fetched three levels deep', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        let inner = { url: `${host.url}/ada/theme.git`, sha: themeSha }
        for (const repo of ['outer', 'outermost']) {
          const path = `ada/${repo}`
          const made = host.open.get(path) ?? (await StandInRepository.make(host.nextId(), path))
          host.open.set(path, made)
          const sha = await made.push(await submodules(made.copy, { path: 'inner', ...inner }))
          inner = { url: `${host.url}/${path}.git`, sha }
        }
        await copy.commit({ 'index.html': 'main', ...(await submodules(copy, { path: 'deep', ...inner })) })
        const { stderr } = await push('main')
        expect((await server().site(name, '/deep/inner/inner/style')).text).toBe('style')
        expect(stderr).toMatch(/submodule deep\/inner\/inner\/icons is not fetched.* more than 3 levels deep/)
      })

      it('behind a symbolic link are not fetched', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        const outside = await mkdtemp(join(tmpdir(), 'svc-outside-'))
        onTestFinished(() => rm(outside, { recursive: true }))
        const path = `ada/${freshName()}`
        const crafted = await StandInRepository.make(host.nextId(), path)
        host.open.set(path, crafted)
        const inner = { path: 'link/inner', url: '../theme.git', sha: themeSha }
        const commit = await crafted.push(await submodules(crafted.copy, inner))
        // Git makes the link and lists the folder, because the later entry with the name wins.
        const written = async (type: string, content: Buffer | string) => {
          await writeFile(join(crafted.dir, 'content'), content)
          const file = join(crafted.dir, 'content')
          return (await crafted.copy.git('hash-object', '-t', type, '-w', '--literally', file)).stdout.trim()
        }
        const idOf = async (object: string) =>
          (await crafted.copy.git('rev-parse', `${commit}:${object}`)).stdout.trim()
        const entry = (mode: string, named: string, id: string) =>
          Buffer.concat([Buffer.from(`${mode} ${named}\0`), Buffer.from(id, 'hex')])
        const tree = await written(
          'tree',
          Buffer.concat([
            entry('100644', '.gitmodules', await idOf('.gitmodules')),
            entry('40000', 'link', await idOf('link')),
            entry('120000', 'link', await written('blob', outside)),
          ]),
        )
        const sha = (await crafted.copy.git('commit-tree', '-m', 'x', tree)).stdout.trim()
        await crafted.copy.git('push', '--quiet', '--force', 'origin', `${sha}:refs/heads/main`)
        const outer = { path: 'outer', url: `${host.url}/${path}.git`, sha }
        await copy.commit({ 'index.html': 'main', ...(await submodules(copy, outer)) })
        const { stderr } = await push('main')
        expect(await readdir(outside)).toEqual([])
        expect(stderr).toMatch(
          /submodule outer\/link\/inner is not fetched.*: a file has the name of its folder/,
        )
        expect((await server().site(name)).text).toBe('main')
      })

      it('are 20 at most', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        const { sha } = (await icons.commitAt('heads/main'))!
        const all = Array.from({ length: 21 }, (_, i) => ({
          path: `s${i}`,
          url: `${host.url}/ada/icons.git`,
          sha,
        }))
        await copy.commit({ 'index.html': 'main', ...(await submodules(copy, ...all)) })
        expect((await push('main')).stderr).toMatch(
          /submodule s20 is not fetched.*a build fetches 20 at most/,
        )
        expect((await server().site(name, '/s19/star')).text).toBe('star')
      })

      it('are not read from files of the machine that the file includes', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        const outside = await mkdtemp(join(tmpdir(), 'svc-outside-'))
        onTestFinished(() => rm(outside, { recursive: true }))
        const theme = { path: 'theme', url: `${host.url}/ada/theme.git`, sha: themeSha }
        const files = await submodules(copy, theme)
        await writeFile(join(outside, 'settings'), files['.gitmodules']!)
        const including = `[include]\n\tpath = ${join(outside, 'settings')}\n`
        await copy.commit({ 'index.html': 'main', '.gitmodules': including })
        expect((await push('main')).stderr).not.toContain('submodule')
        expect((await server().site(name)).text).toBe('main')
      })

      it('with a file that names none, or that is broken, are no matter for the build', async () => {
        const { copy, push, name } = await gitProjectOfTest(server())
        await copy.commit({ 'index.html': 'one', '.gitmodules': '[submodule "x"\n\tpath' })
        await push('main')
        expect((await server().site(name)).text).toBe('one')
        const away = { path: '../../etc', url: `${host.url}/ada/theme.git` }
        await copy.commit({
          ...{
            'index.html': 'two',
            '.gitmodules': `[submodule "x"]\n\tpath = ${away.path}\n\turl = ${away.url}\n`,
          },
        })
        expect((await push('main')).stderr).not.toContain('Fetching the submodule')
        expect((await server().site(name)).text).toBe('two')
      })
    },
    { SVCD_ALLOW_PRIVATE_TARGETS: '1' },
  )

  onEveryServer(server => {
    it('at private addresses are not fetched', async () => {
      const { copy, push } = await gitProjectOfTest(server())
      const files = await submodules(
        copy,
        { path: 'a', url: `${host.url}/ada/theme.git`, sha: themeSha },
        { path: 'b', url: host.url.replace('http:', 'https:').concat('/ada/theme.git'), sha: themeSha },
        { path: 'c', url: 'git@127.0.0.1:ada/theme.git', sha: themeSha },
      )
      await copy.commit({ 'index.html': 'main part', ...files })
      const { stderr } = await push('main')
      expect(stderr).toMatch(/submodule a is not fetched.*only https URLs/)
      expect(stderr).toMatch(/submodule b is not fetched.*127\.0\.0\.1 has no public address/)
      expect(stderr).toMatch(/submodule c is not fetched.*127\.0\.0\.1 has no public address/)
    })
  })
})
