import { afterEach, describe, expect, it } from 'vitest'
import { WorkingCopy } from '../testing/git.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, type Team } from '../testing/team.ts'

onEveryServer(server => {
  const copies: WorkingCopy[] = []
  afterEach(async () => {
    for (const copy of copies.splice(0)) await copy.remove()
  })

  /** A project of the org that a member connected to a repository, with a first commit online. */
  async function connected(team: Team, repo: string) {
    const name = freshName()
    const path = `/projects/${name}` as const
    await send(server(), 'POST /projects', team.member, { name, org: team.org })
    expect((await send(server(), `POST ${path}/repo`, team.member, { repo })).status).toBe(200)
    const as = async (who: Person) => {
      const copy = await WorkingCopy.make(server(), who.token, repo)
      copies.push(copy)
      return copy
    }
    const copy = await as(team.member)
    await copy.commit({ 'index.html': 'one' })
    await copy.git('push', 'origin', 'main')
    expect((await server().site(name)).text).toBe('one')
    const hook = await send(server(), `POST ${path}/hooks`, team.member, { name: 'CMS' })
    return { name, path, copy, as, hookPath: new URL(hook.json.url).pathname as `/${string}` }
  }

  const leave = (team: Team) =>
    send(server(), `DELETE /orgs/${team.org}/members/${team.member.login}`, team.owner)

  describe('a repository of a person who left the org', () => {
    it('deploys nothing more to the project of the org', async () => {
      const team = await makeTeam(server())
      const { name, path, copy, hookPath } = await connected(team, `${team.member.login}/site`)
      await leave(team)
      await copy.commit({ 'index.html': 'two' })
      const pushed = await copy.git('push', 'origin', 'main')
      expect(pushed.code).toBe(0)
      expect(pushed.stderr).toContain('svc git connect')
      expect((await server().site(name)).text).toBe('one')
      expect(refusal(await send(server(), `POST ${path}/builds`, team.owner, {}))).toBe('409 not_buildable')
      expect(refusal(await send(server(), `POST ${hookPath}`))).toBe('409 not_buildable')
    })
  })

  describe('a repository of the org', () => {
    it('goes on deploying when the person who connected it leaves', async () => {
      const team = await makeTeam(server())
      const { name, as } = await connected(team, `${team.org}/site`)
      await leave(team)
      const copy = await as(team.admin)
      await copy.git('pull', '--quiet', 'origin', 'main')
      await copy.commit({ 'index.html': 'two' })
      await copy.git('push', 'origin', 'main')
      expect((await server().site(name)).text).toBe('two')
    })

    it('deploys nothing more when the project moves to someone else, until it is connected again', async () => {
      const team = await makeTeam(server())
      const { name, path, copy } = await connected(team, `${team.org}/site`)
      expect((await send(server(), `POST ${path}/transfer`, team.admin, { org: null })).status).toBe(200)
      await copy.commit({ 'index.html': 'two' })
      expect((await copy.git('push', 'origin', 'main')).stderr).toContain('svc git connect')
      expect((await server().site(name)).text).toBe('one')
      const repo = `${team.org}/site`
      expect((await send(server(), `POST ${path}/repo`, team.admin, { repo })).status).toBe(200)
      await copy.commit({ 'index.html': 'three' })
      await copy.git('push', 'origin', 'main')
      expect((await server().site(name)).text).toBe('three')
    })
  })
})
