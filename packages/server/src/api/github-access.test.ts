import { expect, it } from 'vitest'
import { eventsHandled, onGitHub, signIn, withRepository } from '../testing/github/platform.ts'
import { refusal, send } from '../testing/send.ts'
import { bringIn, freshName, type Person } from '../testing/team.ts'

onGitHub(on => {
  async function newProject(who: Person, org?: string) {
    const name = freshName()
    await send(on().server, 'POST /projects', who, { name, ...(org && { org }) })
    return name
  }
  const connect = (who: Person, project: string, repo: string) =>
    send(on().server, `POST /projects/${project}/repo`, who, { repo })

  it('the platform lists the installations of a person, and the repositories that they may push to', async () => {
    const { server, github } = on()
    const { person, fullName, repository, installationId } = await withRepository(on())
    const readOnly = await github.addRepository(`${person.login}/other`)
    github.installations.get(installationId)!.repositories.push(readOnly.fullName)
    expect((await send(server, 'GET /github', person)).json).toEqual({
      installations: [{ id: installationId, account: person.login, mine: true, org: null, shared_by: null }],
      install_url: `${github.url}/apps/svc-test/installations/new`,
      linked: true,
    })
    const list = (q: string, who: Person = person) =>
      send(server, `GET /github/installations/${installationId}/repositories?q=${q}`, who)
    const row = { id: repository.id, full_name: fullName, private: true, default_branch: 'main' }
    expect((await list('')).json).toEqual({ repositories: [row] })
    expect((await list('SIT')).json.repositories).toHaveLength(1)
    expect((await list('nothing')).json.repositories).toEqual([])
    expect(refusal(await list('', await signIn(on())))).toBe('404 not_found')
    expect(refusal(await list('', await server.account()))).toBe('404 not_found')
    expect(refusal(await send(server, 'GET /github/installations/abc/repositories', person))).toBe(
      '404 not_found',
    )
  })

  it("the platform connects no repository of somebody else's, whether it exists or not", async () => {
    const { github } = on()
    const { fullName, person } = await withRepository(on())
    const eve = await signIn(on())
    const project = await newProject(eve)
    for (const repo of [fullName, `${person.login}/no-such`]) {
      const answer = await connect(eve, project, repo)
      expect(refusal(answer)).toBe('404 not_found')
      expect(answer.json.error.message).toContain(`${github.url}/apps/svc-test/installations/new`)
    }
    // The App is not installed on this one.
    const own = await github.addRepository(`${eve.login}/mine`, [eve.githubId])
    expect(refusal(await connect(eve, project, own.fullName))).toBe('404 not_found')
    github.install(eve.login, [own.fullName])
    expect((await connect(eve, project, own.fullName)).status).toBe(200)
    const stranger = await on().server.account()
    const answer = await connect(stranger, await newProject(stranger), fullName)
    expect(answer.json.error.message).toContain('svc git link')
  })

  it('the platform lets members of an org connect what the person who shares may push to, in projects of that org', async () => {
    const { server } = on()
    const { person, fullName, installationId } = await withRepository(on())
    const org = freshName()
    await send(server, 'POST /orgs', person, { name: org })
    const member = await signIn(on())
    await bringIn(server, { org, owner: person }, member, 'member')
    const ofOrg = await newProject(member, org)
    expect(refusal(await connect(member, ofOrg, fullName))).toBe('404 not_found')
    const share = (who: Person, id: number) =>
      send(server, `POST /orgs/${org}/installations`, who, { installation_id: id })
    expect(refusal(await share(member, installationId))).toBe('404 not_found')
    expect((await share(person, installationId)).json).toEqual({
      ...{ id: installationId, account: person.login, mine: true, org, shared_by: person.login },
    })
    expect((await send(server, 'GET /github', member)).json.installations).toMatchObject([
      { id: installationId, account: person.login, mine: false, org },
    ])
    const list = `GET /github/installations/${installationId}/repositories` as const
    expect((await send(server, list, member)).json.repositories).toHaveLength(1)
    // A project of the member's own is not the org's.
    expect(refusal(await connect(member, await newProject(member), fullName))).toBe('404 not_found')
    expect((await connect(member, ofOrg, fullName)).status).toBe(200)
  })
})

onGitHub(on => {
  it('the platform builds nothing from the repository of somebody who has left the org of the project', async () => {
    const { server, github } = on()
    const owner = await signIn(on())
    const org = freshName()
    await send(server, 'POST /orgs', owner, { name: org })
    const { person, fullName, repository } = await withRepository(on())
    await bringIn(server, { org, owner }, person, 'member')
    const name = freshName()
    await send(server, 'POST /projects', person, { name, org })
    expect((await send(server, `POST /projects/${name}/repo`, person, { repo: fullName })).status).toBe(200)
    const builds = async () => (await send(server, `GET /projects/${name}/builds`, owner)).json.builds
    await send(server, `DELETE /orgs/${org}/members/${person.login}`, owner)
    await repository.push({ 'index.html': 'not any more' })
    await github.deliver(server, 'push', { ...github.about(repository), ref: 'refs/heads/main' })
    await eventsHandled(server)
    expect(await builds()).toHaveLength(1)
    expect(refusal(await send(server, `POST /projects/${name}/builds`, owner, {}))).toBe('409 not_buildable')
  })
})

onGitHub(on => {
  /** A person who may push to a repository of somebody else, and connected it to a project of their own. */
  async function withColleague() {
    const { server, github } = on()
    const owner = await signIn(on())
    const person = await signIn(on())
    const fullName = `${owner.login}/private`
    const repository = await github.addRepository(fullName, [owner.githubId, person.githubId])
    await repository.push({ 'index.html': 'first' })
    const installationId = github.install(owner.login, [fullName])
    const connected = async (who: Person, org?: string) => {
      const name = freshName()
      await send(server, 'POST /projects', who, { name, ...(org && { org }) })
      const { status } = await send(server, `POST /projects/${name}/repo`, who, { repo: fullName })
      expect(status).toBe(200)
      return name
    }
    const buildsOf = async (who: Person, name: string) =>
      (await send(server, `GET /projects/${name}/builds`, who)).json.builds.length
    const push = async (content: string) => {
      await repository.push({ 'index.html': content })
      await github.deliver(server, 'push', { ...github.about(repository), ref: 'refs/heads/main' })
      await eventsHandled(server)
    }
    return { owner, person, fullName, installationId, connected, buildsOf, push }
  }

  it('the platform reads a repository no more for somebody who may no longer push to it at GitHub', async () => {
    const { server, github } = on()
    const { owner, person, fullName, connected, buildsOf, push } = await withColleague()
    const [theirs, ofOwner] = [await connected(person), await connected(owner)]
    await push('second')
    expect([await buildsOf(person, theirs), await buildsOf(owner, ofOwner)]).toEqual([2, 2])
    github.removeMember(fullName, person.githubId)
    await push('a secret')
    expect([await buildsOf(person, theirs), await buildsOf(owner, ofOwner)]).toEqual([2, 3])
    for (const body of [{}, { branch: 'main' }])
      expect(refusal(await send(server, `POST /projects/${theirs}/builds`, person, body))).toBe(
        '409 not_buildable',
      )
  })

  it('a project of an org goes on with the person who shares the installation', async () => {
    const { server, github } = on()
    const { owner, person, fullName, installationId, connected, buildsOf, push } = await withColleague()
    const org = freshName()
    await send(server, 'POST /orgs', owner, { name: org })
    await bringIn(server, { org, owner }, person, 'member')
    const name = await connected(person, org)
    github.removeMember(fullName, person.githubId)
    await push('not built')
    expect(await buildsOf(owner, name)).toBe(1)
    await send(server, `POST /orgs/${org}/installations`, owner, { installation_id: installationId })
    await push('built')
    expect(await buildsOf(owner, name)).toBe(2)
  })
})

onGitHub(
  on => {
    it('with both forges, the platform takes GitHub if it can use the repository there, else the built-in one, or the one named', async () => {
      const { server } = on()
      const { person, fullName } = await withRepository(on())
      const connect = async (repo: string, forge?: string) => {
        const name = freshName()
        await send(server, 'POST /projects', person, { name })
        return await send(server, `POST /projects/${name}/repo`, person, { repo, ...(forge && { forge }) })
      }
      expect((await connect(fullName)).json).toMatchObject({ forge: 'github' })
      expect((await connect(fullName, 'builtin')).json).toMatchObject({
        forge: 'builtin',
        clone_url: expect.stringContaining(`/git/${fullName}.git`),
      })
      const here = `${person.login}/only-here`
      expect(refusal(await connect(here, 'github'))).toBe('404 not_found')
      expect((await connect(here)).json).toMatchObject({ forge: 'builtin', installation_id: null })
      expect(refusal(await connect(here, 'gitlab'))).toBe('400 invalid_request')
      const device = (await send(server, 'POST /auth/device', undefined, { forge: 'builtin' })).json
      expect(device.verification_uri).toBe(`${server.running.urls.dashboard}/device`)
    })
  },
  { SVCD_FORGE: 'builtin,github' },
)
