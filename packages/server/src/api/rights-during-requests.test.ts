// Rights that are taken away while the client holds back the body of its request. The rights count that the caller has when the
// request is whole.
import { describe, expect, it } from 'vitest'
import { aiToken, chat, useAiProvider } from '../testing/ai.ts'
import { archiveOf } from '../testing/archives.ts'
import { WorkingCopy } from '../testing/git.ts'
import { holdRequest } from '../testing/held-request.ts'
import { send } from '../testing/send.ts'
import { onEveryServer, type TestServer } from '../testing/server.ts'
import { freshName, makeTeam, type Person, type Team } from '../testing/team.ts'
import { flush, packet } from './git/pkt-lines.ts'

const { environment, provider } = useAiProvider()

onEveryServer(server => {
  const hold = (who: Person, line: string, type: string, body: Buffer) => {
    const [method = '', path = ''] = line.split(' ')
    const headers = { authorization: `Bearer ${who.token}`, 'content-type': type }
    return holdRequest(server(), { method, path, headers, body })
  }
  const holdJson = (who: Person, line: string, body: unknown) =>
    hold(who, line, 'application/json', Buffer.from(JSON.stringify(body)))
  const holdSite = (who: Person, line: string) =>
    hold(who, line, 'application/gzip', archiveOf({ 'index.html': 'held' }))

  const removeFrom = async ({ org, owner }: Team, who: Person) =>
    expect((await send(server(), `DELETE /orgs/${org}/members/${who.login}`, owner)).status).toBe(200)
  const revokeAll = async (who: Person) => {
    const { json } = await send(server(), 'GET /tokens', who)
    expect((await send(server(), `DELETE /tokens/${json.tokens[0].id}`, who)).status).toBe(200)
  }

  describe('a call with a JSON body', () => {
    const deployToken = { kind: 'deploy', label: 'held' }

    it('of an admin who is removed from the org meanwhile creates no token', async () => {
      const team = await makeTeam(server())
      const finish = await holdJson(team.admin, `POST /orgs/${team.org}/tokens`, deployToken)
      await removeFrom(team, team.admin)
      expect((await finish()).status).toBe(404)
      expect((await send(server(), `GET /orgs/${team.org}/tokens`, team.owner)).json.tokens).toEqual([])
    })

    it('of an admin who becomes a member meanwhile creates no token', async () => {
      const team = await makeTeam(server())
      const finish = await holdJson(team.admin, `POST /orgs/${team.org}/tokens`, deployToken)
      const member = `/orgs/${team.org}/members/${team.admin.login}` as const
      expect((await send(server(), `PUT ${member}`, team.owner, { role: 'member' })).status).toBe(200)
      expect((await finish()).status).toBe(403)
      expect((await send(server(), `GET /orgs/${team.org}/tokens`, team.owner)).json.tokens).toEqual([])
    })

    it('with a token that is revoked meanwhile creates no other token', async () => {
      const person = await server().account()
      const finish = await holdJson(person, 'POST /tokens', { kind: 'cli' })
      await revokeAll(person)
      expect((await finish()).status).toBe(401)
    })
  })

  describe('an upload', () => {
    it('of a member who is removed meanwhile does not go live', async () => {
      const team = await makeTeam(server())
      const name = await newProject(server(), team)
      const finish = await holdSite(team.member, `POST /projects/${name}/deployments`)
      await removeFrom(team, team.member)
      const { status, text } = await finish()
      expect([status, text]).toEqual([404, expect.stringContaining('can no longer act on')])
      const { json } = await send(server(), `GET /projects/${name}`, team.owner)
      expect(json.active_deployment_id).toBeNull()
      expect(json.deployments).toMatchObject([{ status: 'failed' }])
      expect((await server().site(name, '/')).text).not.toContain('held')
    })

    it('goes live if its project is renamed meanwhile', async () => {
      const team = await makeTeam(server())
      const name = await newProject(server(), team)
      const finish = await holdSite(team.member, `POST /projects/${name}/deployments`)
      const renamed = freshName()
      await send(server(), `POST /projects/${name}/rename`, team.owner, { name: renamed })
      expect((await finish()).status).toBe(201)
      expect((await server().site(renamed, '/')).text).toBe('held')
    })

    it('with a token that is revoked meanwhile becomes no share', async () => {
      const person = await server().account()
      const other = (await send(server(), 'POST /tokens', person, { kind: 'cli' })).json
      const finish = await holdSite({ ...person, token: other.token }, 'POST /shares')
      expect((await send(server(), `DELETE /tokens/${other.id}`, person)).status).toBe(200)
      expect((await finish()).status).toBe(401)
      expect((await send(server(), 'GET /shares', person)).json.shares).toEqual([])
    })

    it('of an icon by an admin who is removed meanwhile is refused', async () => {
      const team = await makeTeam(server())
      const png = Buffer.from('\x89PNG\r\n\x1a\n held', 'latin1')
      const finish = await hold(team.admin, `PUT /orgs/${team.org}/icon`, 'image/png', png)
      await removeFrom(team, team.admin)
      expect((await finish()).status).toBe(404)
      expect((await send(server(), `GET /orgs/${team.org}/icon`)).status).toBe(404)
    })
  })

  describe('git', () => {
    const holdGit = (who: Person, repo: string, service: string, body: Buffer) => {
      const authorization = `Basic ${Buffer.from(`x:${who.token}`).toString('base64')}`
      const headers = { authorization, 'content-type': `application/x-git-${service}-request` }
      return holdRequest(server(), { method: 'POST', path: `/git/${repo}.git/git-${service}`, headers, body })
    }
    const withRepository = async () => {
      const team = await makeTeam(server())
      const repo = `${team.org}/site`
      const copy = await WorkingCopy.make(server(), team.owner.token, repo)
      try {
        await copy.commit({ 'index.html': 'secret' })
        await copy.git('push', 'origin', 'main', 'main:kept')
        return { team, repo, commit: (await copy.git('rev-parse', 'main')).stdout.trim() }
      } finally {
        await copy.remove()
      }
    }

    it('moves no branch for a member who is removed during the push', async () => {
      const { team, repo, commit } = await withRepository()
      const command = `${commit} ${'0'.repeat(40)} refs/heads/kept\0 report-status\n`
      const finish = await holdGit(team.member, repo, 'receive-pack', Buffer.concat([packet(command), flush]))
      await removeFrom(team, team.member)
      await finish().catch(() => undefined)
      const copy = await WorkingCopy.make(server(), team.owner.token, repo)
      expect((await copy.git('ls-remote', 'origin')).stdout).toContain('refs/heads/kept')
      await copy.remove()
    })

    it('sends nothing to a member who is removed before the fetch request is whole', async () => {
      const { team, repo, commit } = await withRepository()
      const wants = Buffer.concat([packet(`want ${commit}\n`), flush, packet('done\n')])
      const stays = await holdGit(team.owner, repo, 'upload-pack', wants)
      expect((await stays()).text).toContain('PACK')
      const leaves = await holdGit(team.member, repo, 'upload-pack', wants)
      await removeFrom(team, team.member)
      const { text = '' } = (await leaves().catch(() => undefined)) ?? {}
      expect(text).not.toContain('PACK')
    })
  })

  it('a request to the AI gateway with a token that is revoked meanwhile reaches no provider', async () => {
    const person = await server().account()
    const secret = await aiToken(server(), person.id)
    const finish = await holdRequest(server(), {
      method: 'POST',
      path: '/v1/chat/completions',
      host: 'ai.localhost',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(chat('held'))),
    })
    const { json } = await send(server(), 'GET /tokens', person)
    const { id } = json.tokens.find(({ kind }: { kind: string }) => kind === 'ai')
    expect((await send(server(), `DELETE /tokens/${id}`, person)).status).toBe(200)
    expect((await finish()).status).toBe(401)
    expect(provider().seen.filter(seen => seen.json?.model === 'held')).toEqual([])
  })
}, environment)

async function newProject(server: TestServer, { org, member }: Team): Promise<string> {
  const name = freshName()
  expect((await send(server, 'POST /projects', member, { name, org })).status).toBe(201)
  return name
}
