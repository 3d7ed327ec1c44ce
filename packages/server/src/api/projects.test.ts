import { describe, expect, it } from 'vitest'
import { newId } from '../lib/ids.ts'
import { archiveOf } from '../testing/archives.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'

let counter = 0
const newName = () => `site-${process.pid}-${++counter}`

const create = (server: TestServer, token: string, name: unknown, org?: string) =>
  server.request('/projects', { method: 'POST', token, body: { name, org } })

async function newProject(server: TestServer) {
  const { token, login } = await server.account()
  const name = newName()
  expect((await create(server, token, name)).status).toBe(201)
  return { token, login, name }
}

const page = (text: string) => archiveOf({ 'index.html': text })

onEveryServer(server => {
  const detail = async (token: string, name: string) =>
    (await server().request(`/projects/${name}`, { token })).json
  const activate = (token: string, name: string, id: string) =>
    server().request(`/projects/${name}/deployments/${id}/activate`, { method: 'POST', token })
  const remove = (token: string, name: string, id: string) =>
    server().request(`/projects/${name}/deployments/${id}`, { method: 'DELETE', token })

  it('the API creates a project that its owner alone can see', async () => {
    const { token } = await server().account()
    const name = newName()
    const { status, json } = await create(server(), token, name)
    expect(status).toBe(201)
    expect(json).toEqual({
      id: expect.stringMatching(/^prj_[a-z0-9]{16}$/),
      name,
      org: null,
      url: server().running.urls.site(name),
      active_deployment_id: null,
      expires_at: null,
      created_at: expect.stringMatching(/Z$/),
    })
    expect(await detail(token, name)).toEqual({
      ...json,
      primary_url: null,
      kind: 'static',
      access: { mode: 'public' },
      preview_access: { mode: 'site' },
      production_lock: null,
      picture: null,
      repo: null,
      app: null,
      retention: { production_count: null, preview_days: null },
      deployments: [],
      domains: [],
      suspended: null,
    })
    const other = await server().account()
    expect((await server().request(`/projects/${name}`, { token: other.token })).status).toBe(404)
    expect((await server().request('/projects', { token: other.token })).json.projects).toEqual([])
  })

  it.each([
    ['ab', 'invalid_name'],
    ['a'.repeat(41), 'invalid_name'],
    ['Upper', 'invalid_name'],
    ['with_underscore', 'invalid_name'],
    ['-dash', 'invalid_name'],
    ['dash-', 'invalid_name'],
    ['double--dash', 'invalid_name'],
    ['', 'invalid_name'],
    ['a/b', 'invalid_name'],
    ...['www', 'api', 'ai', 'app', 'admin', 'dashboard', 'status', 'docs', 'mail', 'edge', 'tmp-abc'].map(
      name => [name, 'reserved_name'],
    ),
  ])('the API refuses the name %j with %s', async (name, code) => {
    const { token } = await server().account()
    const { status, json } = await create(server(), token, name)
    expect([status, json.error.code]).toEqual([400, code])
  })

  it('of two projects with the same name at the same time, the API creates one', async () => {
    const [one, two] = [await server().account(), await server().account()]
    const name = newName()
    const answers = await Promise.all([create(server(), one.token, name), create(server(), two.token, name)])
    expect(answers.map(a => a.status).sort()).toEqual([201, 409])
    expect(answers.find(a => a.status === 409)!.json.error.code).toBe('name_taken')
  })

  it('the API finds no org that the caller does not belong to', async () => {
    const { token } = await server().account()
    for (const org of ['elsewhere', '']) {
      expect((await create(server(), token, newName(), org)).status).toBe(404)
      expect((await server().request(`/projects?org=${org}`, { token })).status).toBe(404)
    }
  })

  it('the API lists projects newest first, page by page', async () => {
    const { token } = await server().account()
    const names = [newName(), newName(), newName()]
    for (const name of names) {
      server().clock.advance(1)
      await create(server(), token, name)
    }
    const first = (await server().request('/projects?limit=2', { token })).json
    const second = (await server().request(`/projects?limit=2&cursor=${first.next_cursor}`, { token })).json
    const listed = [...first.projects, ...second.projects].map((p: { name: string }) => p.name)
    expect(listed).toEqual(names.reverse())
    expect(second.next_cursor).toBeNull()
  })

  describe('deployments', () => {
    it('of plain files say that the front page is a 404', async () => {
      const { token, name } = await newProject(server())
      const { json } = await server().upload(token, name, archiveOf({ 'notes.txt': 'plain' }))
      expect(json.warnings).toEqual([
        expect.stringContaining('the front page of the site is a 404. Each file is'),
      ])
      expect((await server().site(name)).status).toBe(404)
      expect((await server().site(name, '/notes.txt')).text).toBe('plain')
    })

    it('are live when the upload answers, and supersede the one before', async () => {
      const { token, login, name } = await newProject(server())
      const first = await server().upload(token, name, page('one'))
      expect(first.status).toBe(201)
      expect(first.json).toEqual({
        deployment_id: expect.stringMatching(/^dep_[a-z0-9]{16}$/),
        url: server().running.urls.site(name),
        permanent_url: server().running.urls.deployment(first.json.deployment_id, name),
        expires_at: null,
        warnings: [],
      })
      expect((await server().site(name)).text).toBe('one')
      server().clock.advance(1)
      const second = await server().upload(token, name, page('two!'))
      expect((await server().site(name)).text).toBe('two!')
      const { active_deployment_id, deployments } = await detail(token, name)
      expect(active_deployment_id).toBe(second.json.deployment_id)
      expect(deployments[0]).toEqual({
        id: second.json.deployment_id,
        status: 'live',
        kind: 'static',
        created_at: expect.stringMatching(/Z$/),
        duration_ms: expect.any(Number),
        file_count: 1,
        size_bytes: 4,
        git_sha: null,
        git_branch: null,
        cli_version: null,
        created_by: login,
        url: server().running.urls.deployment(second.json.deployment_id, name),
        warnings: [],
        error: null,
        framework: null,
        start_command: null,
        release_command: null,
        node_version: null,
        build_id: null,
        build_ms: null,
        commit_message: null,
        commit_author: null,
      })
      expect(deployments[1]).toMatchObject({ id: first.json.deployment_id, status: 'superseded' })
    })

    it('remember the version of the CLI and the commit, where they make sense', async () => {
      const { token, name } = await newProject(server())
      const send = async (headers: Record<string, string>) =>
        server().request(`/projects/${name}/deployments`, {
          method: 'POST',
          token,
          body: page('x'),
          headers: { 'content-type': 'application/x-gzip', ...headers },
        })
      await send({ 'x-svc-cli-version': '1.2.3', 'x-svc-git-sha': 'a'.repeat(40) })
      server().clock.advance(1)
      await send({ 'x-svc-cli-version': 'ci/1.2.3', 'x-svc-git-sha': 'abc1' })
      server().clock.advance(1)
      await send({ 'x-svc-cli-version': '<script>', 'x-svc-git-sha': 'not a sha' })
      const [odd, short, good] = (await detail(token, name)).deployments
      expect([good.cli_version, good.git_sha]).toEqual(['1.2.3', 'a'.repeat(40)])
      expect([short.cli_version, short.git_sha]).toEqual(['ci/1.2.3', 'abc1'])
      expect([odd.cli_version, odd.git_sha]).toEqual([null, null])
    })

    it('remember what their commit says and who wrote it, in one line each', async () => {
      const { token, name } = await newProject(server())
      const told = async (message: string, author: string) => {
        const headers = { 'x-svc-git-message': message, 'x-svc-git-author': author }
        const type = { 'content-type': 'application/x-gzip' }
        await server().request(`/projects/${name}/deployments`, {
          ...{ method: 'POST', token, body: page('x'), headers: { ...type, ...headers } },
        })
        server().clock.advance(1)
        const [newest] = (await detail(token, name)).deployments
        return [newest.commit_message, newest.commit_author]
      }
      expect(await told(encodeURIComponent('Grüße 🎉 100 %'), 'Ada%20Lovelace')).toEqual([
        ...['Grüße 🎉 100 %', 'Ada Lovelace'],
      ])
      expect(await told('%E0%A4%A', '%00%1B[31mred%0A')).toEqual([null, '[31mred'])
      expect(await told('%20', encodeURIComponent('🎉'.repeat(400)))).toEqual([null, '🎉'.repeat(300)])
    })

    it('go back at once to an earlier one', async () => {
      const { token, name } = await newProject(server())
      const first = (await server().upload(token, name, page('one'))).json.deployment_id
      await server().upload(token, name, page('two'))
      expect((await activate(token, name, first)).json).toEqual({ ok: true, active_deployment_id: first })
      expect((await server().site(name)).text).toBe('one')
      expect((await activate(token, name, first)).status).toBe(200)
      const statuses = (await detail(token, name)).deployments.map((d: { status: string }) => d.status)
      expect(statuses.sort()).toEqual(['live', 'superseded'])
    })

    it('stay reachable at their own address until they are deleted', async () => {
      const { token, name } = await newProject(server())
      const first = (await server().upload(token, name, page('one'))).json.deployment_id
      await server().upload(token, name, page('two'))
      const host = `${first.replace('_', '-')}--${name}`
      const permanent = await server().site(host)
      expect([permanent.text, permanent.headers['x-robots-tag']]).toEqual(['one', 'noindex'])
      expect((await remove(token, name, first)).json).toEqual({ ok: true })
      expect((await server().site(host)).status).toBe(404)
      expect((await activate(token, name, first)).status).toBe(404)
      expect((await remove(token, name, first)).status).toBe(404)
      expect((await detail(token, name)).deployments).toHaveLength(1)
    })

    it('are not deleted while they are live', async () => {
      const { token, name } = await newProject(server())
      const id = (await server().upload(token, name, page('one'))).json.deployment_id
      const { status, json } = await remove(token, name, id)
      expect([status, json.error.code]).toEqual([409, 'deployment_live'])
      expect((await server().site(name)).text).toBe('one')
    })

    it('of a branch get the address of the branch and leave production alone', async () => {
      const { token, name } = await newProject(server())
      await server().upload(token, name, page('production'))
      const up = (text: string) => server().upload(token, name, page(text), '?branch=feature%2Fx')
      const first = await up('preview one')
      server().clock.advance(1)
      const second = await up('preview two')
      expect(first.json.url).toBe(second.json.url)
      const host = new URL(second.json.url).hostname.replace('.localhost', '')
      expect(host).toMatch(new RegExp(`^feature-x-[0-9a-f]{6}--${name}$`))
      const preview = await server().site(host)
      expect([preview.text, preview.headers['x-robots-tag']]).toEqual(['preview two', 'noindex'])
      expect((await server().site(name)).text).toBe('production')
      const [latest] = (await detail(token, name)).deployments
      expect(latest).toMatchObject({ status: 'branch', git_branch: 'feature/x' })
      const { status, json } = await activate(token, name, latest.id)
      expect([status, json.error.code]).toEqual([409, 'not_activatable'])
      expect((await remove(token, name, latest.id)).status).toBe(200)
      expect((await server().site(host)).text).toBe('preview one')
    })

    it.each(['', '..', 'a%20b', 'a..b', '-x', 'x/', 'x'.repeat(256), 'a%00b'])(
      'refuse the branch %j',
      async branch => {
        const { token, name } = await newProject(server())
        const { status, json } = await server().upload(token, name, page('x'), `?branch=${branch}`)
        expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      },
    )

    it('keep exactly one live, however many uploads and rollbacks run at once', async () => {
      const { token, name } = await newProject(server())
      const archives = Array.from({ length: 6 }, (_, i) => page(`version ${i}`))
      const uploads = await Promise.all(archives.map(archive => server().upload(token, name, archive)))
      const ids = uploads.map(u => u.json.deployment_id as string)
      expect(uploads.map(u => u.status)).toEqual(archives.map(() => 201))
      await Promise.all([...ids, ...ids].map(id => activate(token, name, id)))
      const project = await detail(token, name)
      const live = project.deployments.filter((d: { status: string }) => d.status === 'live')
      expect(live.map((d: { id: string }) => d.id)).toEqual([project.active_deployment_id])
      const shown = await server().site(name)
      expect(shown.text).toBe(`version ${ids.indexOf(project.active_deployment_id)}`)
      expect(shown.headers['x-svc-deployment']).toBe(project.active_deployment_id)
    })

    it('show the 20 most recent', async () => {
      const { token, name } = await newProject(server())
      const archive = page('x')
      for (let i = 0; i < 21; i++) await server().upload(token, name, archive)
      expect((await detail(token, name)).deployments).toHaveLength(20)
    })

    it('are refused by type before anything is read, without a record', async () => {
      const { token, name } = await newProject(server())
      for (const type of ['application/zip', 'text/plain', ''])
        expect(
          (
            await server().request(`/projects/${name}/deployments`, {
              method: 'POST',
              token,
              body: page('x'),
              headers: { 'content-type': type },
            })
          ).json.error.code,
        ).toBe('unsupported_media_type')
      expect((await detail(token, name)).deployments).toEqual([])
    })

    it('are refused by their declared size before anything is read, without a record', async () => {
      const { token, name } = await newProject(server())
      const { status, json } = await server().request(`/projects/${name}/deployments`, {
        method: 'POST',
        token,
        headers: { 'content-type': 'application/gzip', 'content-length': String(100 * 1024 * 1024 + 1) },
        body: Buffer.alloc(0),
      })
      expect([status, json.error.code]).toEqual([413, 'payload_too_large'])
      expect((await detail(token, name)).deployments).toEqual([])
    })

    it('that are not sound leave a failed record with the reason, and the site as it was', async () => {
      const { token, name } = await newProject(server())
      await server().upload(token, name, page('good'))
      const archive = page('y')
      for (const bad of [
        Buffer.from('not gzip'),
        archive.subarray(0, archive.length - 10),
        Buffer.alloc(0),
      ]) {
        server().clock.advance(1)
        const { status, json } = await server().upload(token, name, bad)
        expect([status, json.error.code]).toEqual([400, 'invalid_archive'])
        const [failed] = (await detail(token, name)).deployments
        expect(failed).toMatchObject({ status: 'failed', error: json.error.message, file_count: null })
        expect((await activate(token, name, failed.id)).json.error.code).toBe('not_activatable')
        expect((await remove(token, name, failed.id)).status).toBe(200)
      }
      expect((await server().site(name)).text).toBe('good')
    })

    it('of a project that is not the caller’s, or of none, do not exist', async () => {
      const { name, token } = await newProject(server())
      const id = (await server().upload(token, name, page('x'))).json.deployment_id
      const other = await server().account()
      expect((await server().upload(other.token, name, page('x'))).status).toBe(404)
      expect((await activate(other.token, name, id)).status).toBe(404)
      expect((await remove(other.token, name, id)).status).toBe(404)
      expect((await activate(token, name, newId('dep'))).status).toBe(404)
      const mine = await newProject(server())
      expect((await activate(mine.token, mine.name, id)).status).toBe(404)
    })
  })
})
