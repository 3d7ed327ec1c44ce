import { describe, expect, it } from 'vitest'
import { newGitProject } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { newSite } from '../testing/sites.ts'

interface Row {
  id: string
  [field: string]: unknown
}

onEveryServer(server => {
  async function newProject() {
    const { owner, name, path, upload } = await newSite(server())
    const read = async (rest: string) => (await send(server(), `GET ${path}/deployments${rest}`, owner)).json
    const list = async (query = ''): Promise<string[]> =>
      (await read(query)).deployments.map((row: Row) => row.id)
    return { owner, name, path, upload, read, list }
  }

  describe('the list of deployments', () => {
    it('shows every deployment in pages, beyond the 20 of the project', async () => {
      const project = await newProject()
      const ids: string[] = []
      for (let n = 0; n < 23; n++) {
        ids.unshift(await project.upload({ 'index.html': String(n) }))
        server().clock.advance(1000)
      }
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { deployments: Row[]; next_cursor: string | null } = await project.read(
          `?limit=10${cursor && `&cursor=${cursor}`}`,
        )
        seen.push(...page.deployments.map(row => row.id))
        cursor = page.next_cursor
      }
      expect(seen).toEqual(ids)
    })

    it('is filtered by status, branch and kind', async () => {
      const project = await newProject()
      const first = await project.upload({ 'index.html': '1' })
      const branch = await project.upload({ 'index.html': '2' }, '?branch=feature/x')
      const live = await project.upload({ 'index.html': '3' })
      await server().upload(project.owner.token, project.name, Buffer.from('no archive'))
      expect(await project.list('?status=live')).toEqual([live])
      expect(await project.list('?status=superseded')).toEqual([first])
      expect(await project.list('?status=failed')).toHaveLength(1)
      expect(await project.list('?branch=feature/x')).toEqual([branch])
      expect(await project.list('?branch=other')).toEqual([])
      expect(await project.list('?kind=server')).toEqual([])
      expect(await project.list('?kind=static&status=branch')).toEqual([branch])
    })

    it('refuses filters that it does not know and cursors that it did not give out', async () => {
      const project = await newProject()
      for (const query of ['?status=gone', '?kind=php', '?limit=0', '?limit=1000', '?cursor=x', '?branch='])
        expect(refusal(await send(server(), `GET ${project.path}/deployments${query}`, project.owner))).toBe(
          '400 invalid_request',
        )
    })

    it('is hidden from strangers', async () => {
      const project = await newProject()
      const id = await project.upload({ 'index.html': '1' })
      const stranger = await server().account()
      for (const rest of ['', `/${id}`, `/${id}/files`])
        expect(refusal(await send(server(), `GET ${project.path}/deployments${rest}`, stranger))).toBe(
          '404 not_found',
        )
    })
  })

  describe('one deployment', () => {
    it('says whether it is live, how long it took, and what it replaced', async () => {
      const project = await newProject()
      const first = await project.upload({ 'index.html': '1' })
      server().clock.advance(1000)
      const preview = await project.upload({ 'index.html': '2' }, '?branch=next')
      server().clock.advance(1000)
      const second = await project.upload({ 'index.html': '3' })
      expect(await project.read(`/${second}`)).toMatchObject({
        id: second,
        status: 'live',
        is_active: true,
        duration_ms: expect.any(Number),
        created_by: project.owner.login,
        build_id: null,
        branch_url: null,
        previous_id: first,
      })
      expect(await project.read(`/${preview}`)).toMatchObject({
        is_active: false,
        git_branch: 'next',
        branch_url: expect.stringContaining(`//next--${project.name}.`),
        previous_id: null,
      })
      expect(await project.read(`/${first}`)).toMatchObject({ is_active: false, previous_id: null })
    })

    it('has a duration when it failed, too', async () => {
      const project = await newProject()
      await server().upload(project.owner.token, project.name, Buffer.from('no archive'))
      const [failed] = (await project.read('?status=failed')).deployments
      expect(failed).toMatchObject({ duration_ms: expect.any(Number), error: expect.any(String) })
    })

    it('names the build and the commit that it was made from', async () => {
      const project = await newGitProject(server())
      await project.copy.commit({ 'index.html': 'from git' })
      await project.push('main')
      const build = await project.untilEnded((await project.builds())[0].id)
      const { json } = await send(
        server(),
        `GET /projects/${project.name}/deployments/${build.deployment_id}`,
        project.owner,
      )
      expect(json).toMatchObject({
        build_id: build.id,
        commit_message: build.commit_message,
        git_sha: build.commit_sha,
      })
      expect(build.commit_message).toBeTruthy()
      const built = { build_id: build.id, build_ms: expect.any(Number), commit_message: build.commit_message }
      const listed = await send(server(), `GET /projects/${project.name}/deployments`, project.owner)
      expect(listed.json.deployments).toMatchObject([{ ...built, commit_author: build.author }])
      const detail = await send(server(), `GET /projects/${project.name}`, project.owner)
      expect(detail.json.deployments).toMatchObject([built])
      await project.copy.remove()
    })

    it('of another project is not found', async () => {
      const [mine, other] = [await newProject(), await newProject()]
      const id = await other.upload({ 'index.html': '1' })
      for (const rest of [`/${id}`, `/${id}/files`, '/dep_0000000000000000', '/x/files'])
        expect(refusal(await send(server(), `GET ${mine.path}/deployments${rest}`, mine.owner))).toBe(
          '404 not_found',
        )
      const own = await mine.upload({ 'index.html': '1' })
      const compare = send(server(), `GET ${mine.path}/deployments/${own}/files?since=${id}`, mine.owner)
      expect(refusal(await compare)).toBe('404 not_found')
    })
  })

  describe('the files of a deployment', () => {
    it('are listed by path, in pages', async () => {
      const project = await newProject()
      const id = await project.upload({ 'index.html': '12345', 'a/ä.txt': '1', 'b.txt': '' })
      const first = await project.read(`/${id}/files?limit=2`)
      expect(first.files).toEqual([
        { path: 'a/ä.txt', size_bytes: 1, change: null },
        { path: 'b.txt', size_bytes: 0, change: null },
      ])
      const second = await project.read(`/${id}/files?limit=2&cursor=${first.next_cursor}`)
      expect(second).toEqual({
        files: [{ path: 'index.html', size_bytes: 5, change: null }],
        next_cursor: null,
        changes: null,
      })
    })

    it('are compared with those of another deployment', async () => {
      const project = await newProject()
      const before = await project.upload({ 'index.html': '1', same: 'x', gone: '123' })
      const after = await project.upload({ 'index.html': '2', same: 'x', new: '1234' })
      expect(await project.read(`/${after}/files?since=${before}`)).toEqual({
        files: [
          { path: 'gone', size_bytes: 3, change: 'removed' },
          { path: 'index.html', size_bytes: 1, change: 'changed' },
          { path: 'new', size_bytes: 4, change: 'added' },
        ],
        next_cursor: null,
        changes: { added: 1, changed: 1, removed: 1 },
      })
    })

    it('of a failed deployment are none', async () => {
      const project = await newProject()
      await server().upload(project.owner.token, project.name, Buffer.from('no archive'))
      const [failed] = await project.list('?status=failed')
      expect((await project.read(`/${failed}/files`)).files).toEqual([])
    })
  })
})
