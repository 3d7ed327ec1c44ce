import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { onGitHub, plainBuild, withProject } from '../testing/github/platform.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'

onGitHub(on => {
  const deliver = (
    ...args: Parameters<ReturnType<typeof on>['github']['deliver']> extends [unknown, ...infer R] ? R : never
  ) => on().github.deliver(on().server, ...args)

  it('the platform refuses every event that GitHub did not sign', async () => {
    const { server } = on()
    const payload = {
      ref: 'refs/heads/main',
      repository: { id: 1, full_name: 'a/b' },
      installation: { id: 1 },
    }
    expect(refusal(await deliver('push', payload, { secret: 'guess' }))).toBe('401 unauthorized')
    for (const signature of ['', 'sha256=', 'sha1=abc', `sha256=${'0'.repeat(64)}`, 'x'.repeat(5000)])
      expect(refusal(await deliver('push', payload, { headers: { 'x-hub-signature-256': signature } }))).toBe(
        '401 unauthorized',
      )
    expect(refusal(await send(server, 'POST /hooks/github', undefined, payload))).toBe('401 unauthorized')
    expect(refusal(await server.request('/hooks/github', { method: 'POST' }))).toBe('401 unauthorized')
    const changed = await server.request('/hooks/github', {
      method: 'POST',
      body: Buffer.from([0xff, 0xfe, 0x00]),
      headers: { 'x-hub-signature-256': `sha256=${'a'.repeat(64)}`, 'x-github-event': 'push' },
    })
    expect(changed.status).toBe(401)
  })

  it('the platform takes ping and events that it does not know, and refuses what is malformed or too large', async () => {
    expect((await deliver('ping', { zen: 'Keep it logically awesome.' })).json).toEqual({ ok: true })
    expect((await deliver('star', { action: 'created' })).json).toEqual({ ok: true })
    expect((await deliver('constructor', {})).json).toEqual({ ok: true })
    expect((await deliver('pull_request', { ...about, action: 'labeled', number: 1 })).json).toEqual({
      ok: true,
    })
    expect(refusal(await deliver('push', { ref: 7 }))).toBe('400 invalid_request')
    expect(refusal(await deliver('push', { ...about, ref: 'refs/heads/x' }, { id: '' }))).toBe(
      '400 invalid_request',
    )
    const large = { ...about, ref: 'refs/heads/x', filler: 'x'.repeat(5 * 1024 * 1024) }
    expect(refusal(await deliver('push', large))).toBe('413 payload_too_large')
    // A repository that no project uses.
    expect((await deliver('push', { ...about, ref: 'refs/heads/x' })).status).toBe(200)
  })
  const about = { repository: { id: 987_654, full_name: 'no/body' }, installation: { id: 1 } }

  it('the platform takes deliveries of GitHub while a stranger holds many that never end, and logs no error', async () => {
    const { server, github, logged } = on()
    const { repository } = await withProject(on())
    const before = logged.length
    const held = Array.from({ length: 40 }, () => {
      const req = request(`${server.apiUrl}/hooks/github`, {
        method: 'POST',
        headers: {
          'x-hub-signature-256': `sha256=${'a'.repeat(64)}`,
          'x-forwarded-for': '203.0.113.9',
          'content-length': '1000000',
        },
      })
      req.on('error', () => undefined) // The test ends it.
      req.write('{')
      return req
    })
    // The stranger's bodies end after a time limit, and then it is the turn of another network.
    const event = { ...github.about(repository), ref: 'refs/heads/main' }
    const headers = { 'x-forwarded-for': '192.30.252.1' }
    expect((await deliver('push', event, { headers })).json).toEqual({ ok: true })
    for (const req of held) req.destroy()
    await eventually(async () => (await deliver('ping', {})).status === 200)
    expect(logged.slice(before).filter(line => JSON.parse(line).level >= 50)).toEqual([])
  })

  it('the platform acts on a delivery once, however often it comes', async () => {
    const { github } = on()
    const { repository, builds, idle, settled, name, fullName } = await withProject(on())
    const id = randomUUID()
    await repository.push({ 'index.html': 'again' })
    const event = { ...github.about(repository), ref: 'refs/heads/main' }
    for (const answer of await Promise.all([1, 2, 3].map(() => deliver('push', event, { id }))))
      expect(answer.status).toBe(200)
    await settled()
    await idle()
    const count = (await builds()).length
    const looks = () => github.requests.filter(line => line.includes(`${fullName}/commits/`)).length
    const asked = looks()
    expect((await deliver('push', event, { id })).status).toBe(200)
    await settled()
    expect(looks()).toBe(asked)
    expect(await builds()).toHaveLength(count)
    expect((await on().server.site(name)).text).toBe('again')
  })

  it('the platform keeps an event while GitHub is away, and builds and reports when it is back', async () => {
    const { github, server } = on()
    const { repository, pushed, settled, idle, name } = await withProject(on())
    await repository.push({ 'index.html': 'after the outage' })
    github.outage = {
      status: 403,
      headers: { 'retry-after': '1' },
      message: 'You have exceeded a secondary rate limit',
    }
    expect((await pushed()).status).toBe(200)
    const asked = github.requests.length
    await eventually(async () => github.requests.length > asked)
    github.outage = { status: 503 }
    server.clock.advance(10_000)
    github.outage = undefined
    server.clock.advance(60_000)
    await settled()
    const [build] = await idle()
    expect(build.status).toBe('succeeded')
    expect((await server.site(name)).text).toBe('after the outage')
    await eventually(async () => {
      server.clock.advance(60_000)
      return repository.statuses.some(row => row.sha === build.commit_sha && row.state === 'success')
    })
  })

  it('the platform says that an installation is suspended, builds again afterwards, and forgets a deleted one', async () => {
    const { github, server } = on()
    const { repository, pushed, settled, idle, installationId, announce, person, name, fullName } =
      await withProject(on())
    github.installations.get(installationId)!.isSuspended = true
    await announce('installation', { action: 'suspend', installation: installed() })
    await settled()
    const build = await send(server, `POST /projects/${name}/builds`, person, {})
    expect([refusal(build), build.json.error.message]).toEqual([
      '400 invalid_request',
      expect.stringContaining('suspended'),
    ])
    const again = await send(server, `POST /projects/${name}/repo`, person, { repo: fullName })
    expect(again.json.error.message).toContain('suspended')
    github.installations.get(installationId)!.isSuspended = false
    await announce('installation', { action: 'unsuspend', installation: installed() })
    await repository.push({ 'index.html': 'back' })
    await pushed()
    await settled()
    expect((await idle())[0].status).toBe('succeeded')
    github.installations.delete(installationId)
    await announce('installation', { action: 'deleted', installation: installed() })
    await settled()
    const rows = await server.running.platform.store.db
      .selectFrom('github_installations')
      .selectAll()
      .where('id', '=', installationId)
      .execute()
    expect(rows).toEqual([])

    function installed() {
      return { id: installationId, account: { login: person.login } }
    }
  })

  it("the platform shows no token of GitHub's in any log, in the build, or in a file", async () => {
    const { github, server, logged } = on()
    const { repository, pushed, settled, idle, log } = await withProject(on(), plainBuild)
    const script =
      "console.log(JSON.stringify(process.env)); console.log(require('fs').readdirSync('.').join())"
    await repository.push({
      'build.js': `${script};require('fs').mkdirSync('dist');require('fs').writeFileSync('dist/index.html','x')`,
    })
    await pushed()
    await settled()
    const [build] = await idle()
    expect(build.status).toBe('succeeded')
    await eventually(async () =>
      repository.statuses.some(row => row.sha === build.commit_sha && row.state === 'success'),
    )
    const text = await log(build.id)
    expect(text).toContain('SVC_BUILD_ID')
    expect(text).not.toContain('.git,')
    // The files of the build are removed after its end.
    const builds = path.join(server.dataDir, 'builds')
    await eventually(async () => (await readdir(builds)).every(name => name === 'cache'))
    const files = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
    const contents = await Promise.all(
      files
        .filter(file => file.isFile())
        .map(file => readFile(path.join(file.parentPath, file.name), 'latin1')),
    )
    const places = { log: logged.join(''), build: text, files: contents.join('') }
    const hidden = [...github.secrets, github.webhookSecret]
    expect(hidden.length).toBeGreaterThan(3)
    for (const secret of hidden)
      for (const form of [secret, Buffer.from(`x-access-token:${secret}`).toString('base64')])
        for (const [place, content] of Object.entries(places))
          expect({ place, holds: content.includes(form) }).toEqual({ place, holds: false })
  })
})

onEveryServer(server => {
  it('the platform refuses every webhook if it does not use GitHub', async () => {
    expect(refusal(await send(server(), 'POST /hooks/github', undefined, {}))).toBe('401 unauthorized')
  })
})
