// Repositories that anybody may read, connected by their URL alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { StandInHost } from '../testing/git-host.ts'
import { plainBuild } from '../testing/github/platform.ts'
import { StandInRepository } from '../testing/github/repositories.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

describe.each(databases())('a public repository, on %s', engine => {
  let server: TestServer
  let host: StandInHost
  let repository: StandInRepository
  let sha: string
  beforeAll(async () => {
    server = await TestServer.start(engine, { SVCD_ALLOW_PRIVATE_TARGETS: '1' })
    host = await StandInHost.start('gitea', 'ada/private')
    await host.repository.push({ 'index.html': 'secret' })
    repository = await StandInRepository.make(2, 'ada/open')
    host.open.set('ada/open', repository)
    sha = await repository.push({ 'index.html': 'open' }, { message: 'Open the shop\n\nAt last.' })
  })
  afterAll(async () => {
    await host?.remove()
    await server?.remove()
  })

  async function withProject() {
    const person = await server.account()
    const name = freshName()
    await send(server, 'POST /projects', person, { name })
    const connect = (body: object) =>
      send(server, `POST /projects/${name}/repo`, person, { ...plainBuild, ...body })
    const builds = async () => (await send(server, `GET /projects/${name}/builds`, person)).json.builds
    const idle = async () => {
      await eventually(async () =>
        (await builds()).every(({ status }: { status: string }) => !['queued', 'building'].includes(status)),
      )
      return await builds()
    }
    return { person, name, connect, builds, idle }
  }

  it.each(['', '.git', '/'])(
    'is built and goes online without a token: URL with "%s" at its end',
    async end => {
      const { name, connect, idle } = await withProject()
      const { status, json } = await connect({ repo: `${host.url}/ada/open${end}` })
      expect(status).toBe(200)
      expect(json).toMatchObject({ repo: `${host.url}/ada/open`, forge: 'public', branch: 'main' })
      expect(json).not.toHaveProperty('clone_url')
      const [build] = await idle()
      expect(build).toMatchObject({ status: 'succeeded', branch: 'main', commit_sha: sha })
      expect(build).toMatchObject({ commit_message: 'Open the shop\n\nAt last.', author: expect.any(String) })
      expect((await server.site(name)).text).toBe('open')
    },
  )

  it('is built from the branch that the host calls its default, or from a named one', async () => {
    const other = await StandInRepository.make(3, 'ada/trunk')
    host.open.set('ada/trunk', other)
    await other.push({ 'index.html': 'trunk' }, { branch: 'trunk' })
    await other.push({ 'index.html': 'side' }, { branch: 'side' })
    await other.setDefaultBranch('trunk')
    const first = await withProject()
    expect((await first.connect({ repo: `${host.url}/ada/trunk` })).json.branch).toBe('trunk')
    await first.idle()
    expect((await server.site(first.name)).text).toBe('trunk')
    const second = await withProject()
    expect((await second.connect({ repo: `${host.url}/ada/trunk`, branch: 'side' })).json.branch).toBe('side')
    await second.idle()
    expect((await server.site(second.name)).text).toBe('side')
  })

  it('is built at each push if its host calls a deploy hook, in the form of any webhook', async () => {
    const { name, person, connect, idle, builds } = await withProject()
    await connect({ repo: `${host.url}/ada/open` })
    await idle()
    const hook = await send(server, `POST /projects/${name}/hooks`, person, { name: 'GitHub' })
    const pushed = await repository.push({ 'index.html': 'pushed' })
    const { status } = await server.request(new URL(hook.json.url).pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'payload=%7B%7D',
    })
    expect(status).toBe(202)
    await eventually(async () => (await builds())[0].commit_sha === pushed)
    await idle()
    expect((await server.site(name)).text).toBe('pushed')
    sha = await repository.push({ 'index.html': 'open' }, { message: 'Open the shop\n\nAt last.' })
  })

  it('keeps its connection when only the settings of the build change, and leaves no rows when it ends', async () => {
    const { name, person, connect, idle } = await withProject()
    await connect({ repo: `${host.url}/ada/open` })
    await idle()
    const changed = await connect({ repo: `${host.url}/ada/open`, build_cmd: 'echo built > index.html' })
    expect(changed.json).toMatchObject({ forge: 'public', build_cmd: 'echo built > index.html' })
    await idle()
    expect((await server.site(name)).text).toBe('built\n')
    await send(server, `DELETE /projects/${name}/repo`, person)
    await sweep(server.running.platform)
    expect((await send(server, `GET /projects/${name}/repo`, person)).status).toBe(404)
  })

  it('is refused with words that help if it is private, missing, or given with a token', async () => {
    const { connect, builds } = await withProject()
    for (const path of ['ada/private', 'ada/missing'])
      expect((await connect({ repo: `${host.url}/${path}` })).json.error.message).toContain(
        'access_token: is needed',
      )
    const both = await connect({ repo: `${host.url}/ada/open`, forge: 'public', access_token: 'x' })
    expect(refusal(both)).toBe('400 invalid_request')
    expect((await connect({ repo: 'ada/open', forge: 'public' })).json.error.message).toContain('URL')
    expect(await builds()).toEqual([])
  })

  it('that is gone fails the next build, and says where it was', async () => {
    const gone = await StandInRepository.make(4, 'ada/gone')
    host.open.set('ada/gone', gone)
    await gone.push({ 'index.html': 'soon gone' })
    const { name, person, connect, idle } = await withProject()
    await connect({ repo: `${host.url}/ada/gone` })
    await idle()
    host.open.delete('ada/gone')
    const answer = await send(server, `POST /projects/${name}/builds`, person, {})
    expect(answer.json.error.message).toContain('shows no public repository')
    expect((await server.site(name)).text).toBe('soon gone')
    await gone.remove()
  })

  it('takes no delivery of a webhook, since none was added', async () => {
    const { name, connect, idle } = await withProject()
    await connect({ repo: `${host.url}/ada/open` })
    await idle()
    const rows = await server.running.platform.store.db
      .selectFrom('project_repos')
      .innerJoin('projects', 'projects.id', 'project_repos.project_id')
      .select('project_repos.repository_id as id')
      .where('projects.name', '=', name)
      .execute()
    const headers = { 'x-gitlab-token': '', 'x-gitea-signature': '' }
    const body = { ref: 'refs/heads/main', after: sha }
    const answer = await server.request(`/hooks/git/${rows[0]?.id}`, { method: 'POST', headers, body })
    expect(refusal(answer)).toBe('401 unauthorized')
  })
})

it('a public repository in a private network is not asked for, unless the operator allows it', async () => {
  const server = await TestServer.start('sqlite')
  const host = await StandInHost.start('gitea', 'ada/private')
  try {
    host.open.set('ada/open', await StandInRepository.make(2, 'ada/open'))
    const person = await server.account()
    const name = freshName()
    await send(server, 'POST /projects', person, { name })
    const url = `${host.url}/ada/open`
    for (const repo of [url, url.replace('http:', 'https:'), 'https://[::1]/a/b', 'https://localhost/a/b']) {
      const answer = await send(server, `POST /projects/${name}/repo`, person, { repo })
      expect(refusal(answer), repo).toBe('400 invalid_request')
    }
    expect(host.open.get('ada/open')?.requests).toBe(0)
  } finally {
    await host.remove()
    await server.remove()
  }
})
