import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../core/platform/sweep.ts'
import { randomText } from '../lib/ids.ts'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { StandInHost } from '../testing/git-host.ts'
import { plainBuild } from '../testing/github/platform.ts'
import { refusal, send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

const hosts = [
  { kind: 'gitlab', path: 'group/sub/site' },
  { kind: 'gitea', path: 'ada/site' },
] as const

describe.each(databases())('on %s', engine => {
  let server: TestServer
  const logged: string[] = []
  beforeAll(async () => {
    const settings = { SVCD_ALLOW_PRIVATE_TARGETS: '1', SVCD_LOG_LEVEL: 'trace' }
    server = await TestServer.start(engine, settings, { write: line => void logged.push(line) })
  })
  afterAll(() => server?.remove())

  // The hosts differ in their requests, and the databases in their queries. So each is tried with one of the other.
  const tried =
    databases().length === 1 ? hosts : hosts.filter((_, at) => (at === 0) === (engine === 'sqlite'))
  describe.each(tried)('a repository at $kind', ({ kind, path }) => {
    let host: StandInHost
    beforeAll(async () => {
      host = await StandInHost.start(kind, path)
      await host.repository.push({ 'index.html': 'first' }, { message: 'Begin' })
    })
    afterAll(() => host?.remove())

    const page = async (name: string) => (await server.site(name)).text

    async function withProject() {
      const person = await server.account()
      const name = freshName()
      await send(server, 'POST /projects', person, { name })
      const connect = (more: Record<string, unknown> = {}) =>
        send(server, `POST /projects/${name}/repo`, person, {
          ...{ repo: `${host.repositoryUrl}.git`, access_token: host.token, ...plainBuild },
          ...more,
        })
      const builds = async () => (await send(server, `GET /projects/${name}/builds`, person)).json.builds
      const idle = async () => {
        await eventually(async () =>
          (await builds()).every(
            ({ status }: { status: string }) => !['queued', 'building'].includes(status),
          ),
        )
        return await builds()
      }
      return { person, name, connect, builds, idle }
    }

    async function connected() {
      const project = await withProject()
      const answer = await project.connect()
      expect(answer.json).toMatchObject({ forge: kind, build_id: expect.any(String) })
      await project.idle()
      return project
    }

    it('goes online when it is connected, and the answer shows neither token nor clone URL', async () => {
      const { name, person, connect, idle } = await withProject()
      const { status, json, text } = await connect()
      expect(status).toBe(200)
      expect(json).toMatchObject({
        repo: host.repositoryUrl,
        forge: kind,
        branch: 'main',
        installation_id: null,
      })
      expect(json).not.toHaveProperty('clone_url')
      const [build] = await idle()
      expect(build).toMatchObject({
        status: 'succeeded',
        branch: 'main',
        author: 'Ada',
        commit_message: 'Begin',
      })
      expect(await page(name)).toBe('first')
      const { text: shown } = await send(server, `GET /projects/${name}`, person)
      for (const answer of [text, shown]) expect(answer).not.toContain(host.token)
    })

    it('is built at each push, and the host is told how it went', async () => {
      const { name, idle, builds } = await connected()
      const sha = await host.repository.push({ 'index.html': 'second' })
      for (const { json } of await host.announce(server, 'main', sha)) expect(json).toEqual({ ok: true })
      await eventually(async () => (await builds())[0].commit_sha === sha)
      const [build] = await idle()
      expect(await page(name)).toBe('second')
      await eventually(async () =>
        host.statuses.some(status => status.sha === sha && status.state === 'success'),
      )
      const told = host.statuses.filter(status => status.sha === sha && status.name === `svc/${name}`)
      expect(told.at(-1)).toEqual({
        sha,
        state: 'success',
        name: `svc/${name}`,
        description: 'Deployed to production.',
        target_url: `${server.running.urls.dashboard}/projects/${name}/git/${build.id}`,
      })
      await host.repository.push({ 'index.html': 'first' })
    })

    it('gets a preview for each branch, which goes when the branch is deleted', async () => {
      const { name, builds, idle } = await connected()
      const sha = await host.repository.push({ 'index.html': 'preview' }, { branch: 'feature' })
      await host.announce(server, 'feature', sha)
      await eventually(async () => (await builds())[0].branch === 'feature')
      await idle()
      expect(await page(`feature--${name}`)).toBe('preview')
      await host.repository.deleteBranch('feature')
      await host.announceDeletion(server, 'feature')
      await eventually(async () => (await server.site(`feature--${name}`)).status === 404)
      expect(await page(name)).not.toBe('preview')
    })

    it('keeps its previews if the token loses its rights, because that is no deleted branch', async () => {
      const { name, builds, idle, connect } = await connected()
      const sha = await host.repository.push({ 'index.html': 'kept' }, { branch: 'kept' })
      await host.announce(server, 'kept', sha)
      await eventually(async () => (await builds())[0].branch === 'kept')
      await idle()
      host.revoked.add(host.token)
      await host.announceDeletion(server, 'kept')
      const failed = () => logged.some(line => line.includes('a job failed') && line.includes('kept'))
      await eventually(async () => failed())
      expect(await page(`kept--${name}`)).toBe('kept')
      expect((await connect()).json.error.message).toContain('access_token')
      host.revoked.clear()
    })

    it('builds nothing for a delivery without its secret', async () => {
      const { builds } = await connected()
      const before = (await builds()).length
      const sha = await host.repository.push({ 'index.html': 'unsigned' })
      for (const answer of await host.announce(server, 'main', sha, 'wrong'))
        expect(refusal(answer)).toBe('401 unauthorized')
      const unknown = await server.request('/hooks/git/rep_aaaaaaaaaaaaaaaa', {
        method: 'POST',
        body: { ref: 'refs/heads/main' },
      })
      expect(refusal(unknown)).toBe('401 unauthorized')
      expect(await builds()).toHaveLength(before)
      await host.repository.push({ 'index.html': 'first' })
    })

    it('is refused with words that help: without a token, with a wrong one, and with one that may only read', async () => {
      const { connect, builds } = await withProject()
      const webhooks = host.webhooks.length
      for (const [access_token, words] of [
        [undefined, 'access_token: is needed'],
        [`wrong-${randomText(8)}`, 'does not accept it'],
        [host.readToken, 'does not let it add the webhook'],
      ]) {
        const answer = await connect({ access_token })
        expect(refusal(answer)).toBe('400 invalid_request')
        expect(answer.json.error.message).toContain(words)
      }
      const missing = await connect({ repo: `${host.url}/ada/other` })
      expect(refusal(missing)).toBe('404 not_found')
      expect(await builds()).toEqual([])
      expect(host.webhooks).toHaveLength(webhooks)
    })

    it('keeps its token when only the settings of the build change', async () => {
      const { connect, idle } = await connected()
      const webhooks = host.webhooks.length
      const changed = await connect({ access_token: undefined, build_cmd: 'echo built > index.html' })
      expect(changed.json).toMatchObject({ forge: kind, build_cmd: 'echo built > index.html' })
      const [build] = await idle()
      expect(build.status).toBe('succeeded')
      expect(host.webhooks).toHaveLength(webhooks)
    })

    it('loses its webhook when the project is disconnected', async () => {
      const { name, person } = await connected()
      const id = host.webhooks.at(-1)?.id
      await send(server, `DELETE /projects/${name}/repo`, person)
      await sweep(server.running.platform)
      expect(host.webhooks.map(webhook => webhook.id)).not.toContain(id)
      expect((await send(server, `GET /projects/${name}/repo`, person)).status).toBe(404)
    })

    it('is built later if the host was away when the push was reported', async () => {
      const { name, builds, idle } = await connected()
      const sha = await host.repository.push({ 'index.html': 'late' })
      host.isAway = true
      await host.announce(server, 'main', sha)
      await eventually(async () => logged.some(line => line.includes('a job failed') && line.includes(sha)))
      host.isAway = false
      server.clock.advance(60_000)
      await eventually(async () => (await builds())[0].commit_sha === sha)
      await idle()
      expect(await page(name)).toBe('late')
      await host.repository.push({ 'index.html': 'first' })
    })

    it('leaves its token in no line of the log', () => {
      expect(logged.length).toBeGreaterThan(0)
      expect(logged.filter(line => line.includes(host.token))).toEqual([])
    })
  })

  it('a URL that is no repository, or has a token in it, is refused', async () => {
    const person = await server.account()
    const name = freshName()
    await send(server, 'POST /projects', person, { name })
    for (const repo of [
      'ftp://example.com/ada/site',
      'https://ada:secret@example.com/ada/site',
      'https://example.com/site',
      'https://example.com/ada/../site/..',
      'https://example.com/ada/site?x=1',
    ]) {
      const answer = await send(server, `POST /projects/${name}/repo`, person, { repo, access_token: 'x' })
      expect(refusal(answer), repo).toBe('400 invalid_request')
    }
  })
})

it('a host in a private network is not asked, unless the operator allows it', async () => {
  const server = await TestServer.start('sqlite')
  const host = await StandInHost.start('gitea', 'ada/site')
  try {
    const person = await server.account()
    const name = freshName()
    await send(server, 'POST /projects', person, { name })
    for (const repo of [
      host.repositoryUrl,
      host.repositoryUrl.replace('http:', 'https:'),
      'https://[::1]/a/b',
    ]) {
      const answer = await send(server, `POST /projects/${name}/repo`, person, {
        ...{ repo, access_token: host.token, forge: 'gitea' },
      })
      expect(refusal(answer), repo).toBe('400 invalid_request')
    }
  } finally {
    await host.remove()
    await server.remove()
  }
})
