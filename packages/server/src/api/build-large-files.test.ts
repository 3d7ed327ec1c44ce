// Builds of repositories with files in Git LFS.
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { StandInHost } from '../testing/git-host.ts'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { onGitHub, plainBuild, withProject } from '../testing/github/platform.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

const attributes = { '.gitattributes': '*.html filter=lfs diff=lfs merge=lfs -text\n' }

function pointerTo(content: string, size = content.length) {
  const oid = createHash('sha256').update(content).digest('hex')
  return { oid, text: `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n` }
}

describe('files in Git LFS', () => {
  describe.each(['gitlab', 'gitea'] as const)('of a repository at %s', kind => {
    let host: StandInHost
    beforeEach(async () => {
      host = await StandInHost.start(kind, 'ada/site')
    })
    afterEach(() => host?.remove())

    onEveryServer(
      server => {
        /** Pushes the files, builds them, and returns the log. */
        async function built(files: Record<string, string>) {
          const person = await server().account()
          const name = freshName()
          await host.repository.push(files)
          await send(server(), 'POST /projects', person, { name })
          await send(server(), `POST /projects/${name}/repo`, person, {
            ...{ repo: `${host.repositoryUrl}.git`, access_token: host.token, ...plainBuild },
          })
          const builds = async () =>
            (await send(server(), `GET /projects/${name}/builds`, person)).json.builds
          await eventually(async () => (await builds())[0]?.status === 'succeeded')
          const [{ id }] = await builds()
          const log = (await send(server(), `GET /projects/${name}/builds/${id}/log`, person)).text
          return { log, page: async (path: string) => (await server().site(name, path)).text }
        }

        it('take the place of their pointers, in every folder', async () => {
          const [small, large] = ['a small page', 'x'.repeat(300_000)]
          for (const content of [small, large])
            host.largeFiles.files.set(pointerTo(content).oid, Buffer.from(content))
          const { log, page } = await built({
            ...attributes,
            ...{ 'index.html': pointerTo(small).text, 'a/b/same.html': pointerTo(small).text },
            ...{ 'large.html': pointerTo(large).text, 'plain.html': 'plain' },
          })
          expect(log).toMatch(/Fetching 2 files in Git LFS, 293 KB/)
          expect(log).not.toContain(host.token)
          expect(await page('/')).toBe(small)
          expect(await page('/a/b/same')).toBe(small)
          expect(await page('/large')).toBe(large)
          expect(await page('/plain')).toBe('plain')
        })

        it('stay pointers where the host does not give what they name, and the log says why', async () => {
          const [good, longer, other] = ['all is well', 'much too long', 'of equal size']
          host.largeFiles.files.set(pointerTo(good).oid, Buffer.from(good))
          host.largeFiles.files.set(pointerTo(longer).oid, Buffer.from(longer))
          host.largeFiles.files.set(pointerTo(other).oid, Buffer.from('OF EQUAL SIZE'))
          const { log, page } = await built({
            ...attributes,
            ...{ 'index.html': pointerTo(good).text, 'gone.html': pointerTo('nowhere').text },
            ...{ 'longer.html': pointerTo(longer, 4).text, 'other.html': pointerTo(other).text },
          })
          expect(log).toContain('Note: 3 files in Git LFS are not fetched')
          expect(log).toContain('gone.html: Object does not exist')
          expect(log).toContain('longer.html: it is larger than it should be')
          expect(log).toContain('other.html: what came does not match its checksum')
          expect(await page('/')).toBe(good)
          expect(await page('/gone')).toBe(pointerTo('nowhere').text)
        })

        it('are not fetched if they are more than 1 GB, with the copies of each', async () => {
          const tooMuch = 'files in Git LFS are not fetched, since they are more than 2000 or 1 GB'
          const once = { 'index.html': pointerTo('x', 2 * 1024 ** 3).text }
          expect((await built({ ...attributes, ...once })).log).toContain(tooMuch)
          const { text } = pointerTo('x', 400 * 1024 ** 2)
          const copies = { 'index.html': text, 'b.html': text, 'c.html': text }
          expect((await built({ ...attributes, ...copies })).log).toContain(tooMuch)
        })
      },
      { SVCD_ALLOW_PRIVATE_TARGETS: '1' },
    )
  })

  onGitHub(
    on => {
      it('of a repository at GitHub take the place of their pointers', async () => {
        const { name, repository, pushed, settled, idle } = await withProject(on(), plainBuild)
        const { oid, text } = pointerTo('from GitHub')
        on().github.largeFiles.files.set(oid, Buffer.from('from GitHub'))
        await repository.push({ ...attributes, 'index.html': text })
        await pushed()
        await settled()
        expect((await idle())[0]).toMatchObject({ status: 'succeeded' })
        expect((await on().server.site(name)).text).toBe('from GitHub')
      })
    },
    { SVCD_ALLOW_PRIVATE_TARGETS: '1' },
  )

  onEveryServer(server => {
    it('are not in repositories of the platform, and the log says so', async () => {
      const { copy, push, name } = await gitProjectOfTest(server())
      await copy.commit({ ...attributes, 'index.html': pointerTo('x').text })
      expect((await push('main')).stderr).toContain('repositories of this platform have no files in Git LFS')
      expect((await server().site(name)).text).toBe(pointerTo('x').text)
    })
  })
})
