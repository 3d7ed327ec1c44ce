// GitHub signs the body of an event, and neither its id nor its name. Whoever gets hold of a signed body can send it again.
import { expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { eventsHandled, onGitHub, withProject } from '../testing/github/platform.ts'
import { send } from '../testing/send.ts'

onGitHub(on => {
  const deliver = (event: string, payload: unknown, options: { id?: string } = {}) =>
    on().github.deliver(on().server, event, payload, options)

  /** Sends events that were sent before, each under a new id, and waits until they are handled. */
  async function replay(...events: [name: string, payload: unknown][]): Promise<void> {
    for (const [name, payload] of events) expect((await deliver(name, payload)).status).toBe(200)
    await eventually(async () => {
      on().server.clock.advance(10_000)
      return (await waiting()) === 0
    })
  }

  const waiting = async (): Promise<number> =>
    (
      await on()
        .server.running.platform.store.db.selectFrom('github_deliveries')
        .select('id')
        .where('event', 'is not', null)
        .execute()
    ).length

  async function installation(id: number) {
    const { db } = on().server.running.platform.store
    return await db.selectFrom('github_installations').selectAll().where('id', '=', id).executeTakeFirst()
  }

  it('an event about an installation that is sent again under a new id changes nothing', async () => {
    const { github, server } = on()
    const { repository, installationId, person } = await withProject(on())
    const about = github.about(repository)
    const installed = { ...about, installation: { id: installationId, account: { login: person.login } } }
    const suspend = { ...installed, action: 'suspend' }
    github.installations.get(installationId)!.isSuspended = true
    await deliver('installation', suspend)
    await eventsHandled(server)
    expect(await installation(installationId)).toMatchObject({ is_suspended: 1 })
    github.installations.get(installationId)!.isSuspended = false
    await deliver('installation', { ...installed, action: 'unsuspend' })
    await eventsHandled(server)
    await replay(['installation', suspend], ['installation', { ...installed, action: 'deleted' }])
    expect(await installation(installationId)).toMatchObject({ is_suspended: 0, account: person.login })
  })

  it('an event from before a rename, or from a former installation, changes nothing', async () => {
    const { github, server } = on()
    const { repository, person, name, idle, pushed, settled } = await withProject(on())
    const before = { ...github.about(repository), ref: 'refs/heads/main' }
    await deliver('push', before)
    await eventsHandled(server)
    const former = `${repository.fullName}`
    github.rename(repository, `${person.login}/renamed`)
    github.installations.delete(before.installation.id)
    github.install(person.login, [repository.fullName])
    await deliver('installation', {
      action: 'created',
      installation: github.about(repository).installation,
      repositories: [{ id: repository.id, full_name: repository.fullName }],
    })
    await eventsHandled(server)
    // Somebody else takes the name.
    const other = await github.addRepository(former, [person.githubId])
    await other.push({ 'index.html': 'of somebody else' })
    await replay(['push', before], ['repository', { ...before, action: 'transferred' }])
    const { json } = await send(server, `GET /projects/${name}/repo`, person)
    expect(json.repo).toBe(repository.fullName)
    await repository.push({ 'index.html': 'through the new installation' })
    await pushed()
    await settled()
    await idle()
    expect((await server.site(name)).text).toBe('through the new installation')
  })

  it('a signed body under the name of another event disconnects no repository that exists', async () => {
    const { github, server } = on()
    const { repository, person, name } = await withProject(on())
    const label = { ...github.about(repository), action: 'deleted', label: { name: 'bug' } }
    await replay(['label', label], ['repository', label], ['installation', label])
    const { json } = await send(server, `GET /projects/${name}/repo`, person)
    expect(json.repo).toBe(repository.fullName)
    expect(await installation(label.installation.id)).toMatchObject({ is_suspended: 0 })
  })

  it('an event that is sent over and over is handled seldom, and takes one row', async () => {
    const { github, server } = on()
    const { repository, fullName, settled, idle } = await withProject(on())
    await repository.push({ 'index.html': 'once' })
    const event = { ...github.about(repository), ref: 'refs/heads/main' }
    const begun = server.clock.now()
    await deliver('push', event)
    await settled()
    await idle()
    const looks = () => github.requests.filter(line => line.includes(`${fullName}/commits/heads`)).length
    const before = looks()
    for (let times = 0; times < 20; times++) expect((await deliver('push', event)).status).toBe(200)
    expect(await waiting()).toBeLessThanOrEqual(1)
    // On a busy machine the 20 deliveries take longer than the 10 seconds after which the event may be handled again.
    expect(looks() - before).toBeLessThanOrEqual(Math.floor((server.clock.now() - begun) / 10_000))
    const handled = looks()
    // Should GitHub ever send equal events, none is lost: the state is read once more.
    await repository.push({ 'index.html': 'twice' })
    await replay(['push', event])
    expect(looks()).toBeGreaterThan(handled)
    expect((await idle())[0]).toMatchObject({ status: 'succeeded' })
    const { db } = server.running.platform.store
    const rows = await db
      .selectFrom('github_deliveries')
      .selectAll()
      .where('body_hash', 'is not', null)
      .execute()
    const hashes = rows.map(row => row.body_hash)
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})
