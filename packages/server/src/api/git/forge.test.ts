import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { urlOf, WorkingCopy } from '../../testing/git.ts'
import { send } from '../../testing/send.ts'
import { onEveryServer } from '../../testing/server.ts'
import { makeTeam } from '../../testing/team.ts'

onEveryServer(server => {
  const copies: WorkingCopy[] = []
  afterEach(async () => {
    for (const copy of copies.splice(0)) await copy.remove()
  })

  async function workingCopy(token: string, repo: string): Promise<WorkingCopy> {
    const copy = await WorkingCopy.make(server(), token, repo)
    copies.push(copy)
    return copy
  }

  describe('the forge', () => {
    it('makes a repository at the first push, which can then be cloned, fetched and pushed again', async () => {
      const { login, token } = await server().account()
      const copy = await workingCopy(token, `${login}/site`)
      await copy.commit({ 'index.html': 'one', 'sub/ü.txt': 'ü' })
      await copy.git('tag', 'v1')
      const pushed = await copy.git('push', 'origin', 'main', 'v1')
      expect(pushed).toMatchObject({ code: 0 })
      expect(pushed.stderr).toContain('No project builds from this repository yet')
      expect(pushed.stderr).not.toContain('hint:')

      const other = await workingCopy(token, `${login}/site`)
      expect(await other.git('pull', 'origin', 'main', '--tags')).toMatchObject({ code: 0 })
      expect((await other.git('ls-files', '-z')).stdout).toBe('index.html\0sub/ü.txt\0')
      expect((await other.git('tag')).stdout).toBe('v1\n')
      const sha = await other.commit({ 'index.html': 'two' })
      expect(await other.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
      await copy.git('fetch', 'origin')
      expect((await copy.git('rev-parse', 'origin/main')).stdout.trim()).toBe(sha)
    })

    it('takes force pushes, shallow clones and deleted branches', async () => {
      const { login, token } = await server().account()
      const copy = await workingCopy(token, `${login}/site`)
      for (const content of ['1', '2', '3']) await copy.commit({ 'a.txt': content })
      await copy.git('push', 'origin', 'main', 'main:old')
      const shallow = await workingCopy(token, `${login}/site`)
      expect(await shallow.git('fetch', '--depth', '1', 'origin', 'main')).toMatchObject({ code: 0 })
      expect((await shallow.git('rev-list', '--count', 'FETCH_HEAD')).stdout.trim()).toBe('1')
      await copy.git('commit', '--amend', '-m', 'other')
      expect((await copy.git('push', 'origin', 'main')).code).not.toBe(0)
      expect(await copy.git('push', '--force', 'origin', 'main')).toMatchObject({ code: 0 })
      expect(await copy.git('push', 'origin', '--delete', 'old')).toMatchObject({ code: 0 })
      expect((await copy.git('ls-remote', '--heads', 'origin')).stdout).toMatch(
        /^[0-9a-f]{40}\trefs\/heads\/main\n$/,
      )
    })

    it('takes packs of many megabytes', async () => {
      const { login, token } = await server().account()
      const copy = await workingCopy(token, `${login}/large`)
      await copy.commit({ 'noise.bin': randomBytes(12 * 1024 * 1024) })
      expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
      const dir = await mkdtemp(path.join(tmpdir(), 'svc-clone-'))
      expect(await copy.git('clone', '--quiet', copy.url, path.join(dir, 'clone'))).toMatchObject({ code: 0 })
      expect(await readdir(path.join(dir, 'clone'))).toContain('noise.bin')
      await rm(dir, { recursive: true })
    })

    it('gives one repository to two first pushes at the same time', async () => {
      const { login, token } = await server().account()
      const pushes = await Promise.all(
        ['a', 'b', 'c'].map(async branch => {
          const copy = await workingCopy(token, `${login}/race`)
          await copy.commit({ [branch]: branch })
          return await copy.git('push', 'origin', `main:${branch}`)
        }),
      )
      expect(pushes.map(({ code }) => code)).toEqual([0, 0, 0])
      const copy = await workingCopy(token, `${login}/race`)
      expect((await copy.git('ls-remote', '--heads', 'origin')).stdout.match(/refs\/heads\/\w/g)).toEqual([
        'refs/heads/a',
        'refs/heads/b',
        'refs/heads/c',
      ])
    })

    it('is for those who own the repository, and for the members of the org that does', async () => {
      const team = await makeTeam(server())
      const copy = await workingCopy(team.member.token, `${team.org}/shared`)
      await copy.commit({ 'index.html': 'team' })
      expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
      const theirs = urlOf(server(), team.outsider.token, `${team.org}/shared`)
      expect((await copy.git('ls-remote', theirs)).stderr).toMatch(/not found/)
      expect((await copy.git('push', theirs, 'main')).code).not.toBe(0)
      const another = urlOf(server(), team.outsider.token, `${team.member.login}/own`)
      expect((await copy.git('push', another, 'main')).code).not.toBe(0)
      expect((await copy.git('ls-remote', urlOf(server(), 'svc_wrong', `${team.org}/shared`))).code).not.toBe(
        0,
      )
    })

    it('asks for a token first, says how to make one, and takes no token of another kind', async () => {
      const team = await makeTeam(server())
      const target = `/git/${team.org}/x.git/info/refs?service=git-upload-pack`
      const stranger = await server().request(target)
      expect(stranger.status).toBe(401)
      expect(stranger.headers['www-authenticate']).toMatch(/^Basic /)
      expect(stranger.text).toContain('svc token')
      const { json } = await send(server(), `POST /orgs/${team.org}/tokens`, team.owner, { kind: 'deploy' })
      const basic = Buffer.from(`x:${json.token}`).toString('base64')
      const refused = await server().request(target, { headers: { authorization: `Basic ${basic}` } })
      expect(refused.status).toBe(401)
      expect(refused.text).toContain(
        'A token of an org, or one that is limited to one project, does not work',
      )
      const copy = await workingCopy(json.token, `${team.org}/x`)
      expect((await copy.git('ls-remote', 'origin')).stderr).toMatch(/remote: .*svc token cli git/)
    })

    it.each(['../../etc', '..', '.git', 'a.lock', 'a%2Fb', 'a%00b', 'a%20b'])(
      'has no repository called %s',
      async name => {
        const { login, token } = await server().account()
        const authorization = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`
        for (const service of ['git-receive-pack', 'git-upload-pack']) {
          const target = `/git/${login}/${name}.git/info/refs?service=${service}`
          expect((await server().request(target, { headers: { authorization } })).status).toBe(404)
        }
      },
    )

    it('takes a name that begins with a dash for a name, and never for an option of git', async () => {
      const { login, token } = await server().account()
      const copy = await workingCopy(token, `${login}/--upload-pack=x`.replace('=', '-'))
      await copy.commit({ 'a.txt': '1' })
      expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    })

    it('says that it stores no LFS files, in the words that git-lfs shows', async () => {
      const { login, token } = await server().account()
      const basic = Buffer.from(`x:${token}`).toString('base64')
      const answer = await server().request(`/git/${login}/site.git/info/lfs/objects/batch`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}`, 'content-type': 'application/vnd.git-lfs+json' },
        body: '{}',
      })
      expect(answer.status).toBe(501)
      expect(JSON.parse(answer.text).message).toContain('Git LFS')
    })

    it('keeps its order when what it is sent is garbage, or breaks off', async () => {
      const { login, token } = await server().account()
      const copy = await workingCopy(token, `${login}/site`)
      await copy.commit({ 'a.txt': '1' })
      await copy.git('push', 'origin', 'main')
      const authorization = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`
      for (const service of ['git-receive-pack', 'git-upload-pack'])
        for (const body of ['', '0000', 'zzzz', 'ffff', randomBytes(5000), '0009done\n'])
          await server().request(`/git/${login}/site.git/${service}`, {
            method: 'POST',
            headers: { authorization, 'content-type': `application/x-${service}-request` },
            body: Buffer.from(body),
          })
      expect((await copy.git('ls-remote', '--heads', 'origin')).stdout).toContain('refs/heads/main')
    })
  })
})
