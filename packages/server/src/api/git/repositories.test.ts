import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { holdNextTransaction } from '../../testing/held-transactions.ts'
import { send } from '../../testing/send.ts'
import { onEveryServer, TestServer } from '../../testing/server.ts'
import { freshName, makeTeam } from '../../testing/team.ts'

const copies: WorkingCopy[] = []
afterEach(async () => {
  for (const copy of copies.splice(0)) await copy.remove()
})

async function workingCopy(server: TestServer, token: string, repo: string): Promise<WorkingCopy> {
  const copy = await WorkingCopy.make(server, token, repo)
  copies.push(copy)
  return copy
}

onEveryServer(server => {
  it('a repository is not deleted while a project connects to it', async () => {
    const owner = await server().account()
    const [project, other] = [freshName(), freshName()]
    const repo = `${owner.login}/site`
    for (const name of [project, other]) await send(server(), 'POST /projects', owner, { name })
    await send(server(), `POST /projects/${other}/repo`, owner, { repo })
    await send(server(), `DELETE /projects/${other}/repo`, owner)
    const ending = holdNextTransaction(server().running.platform.store)
    const connecting = send(server(), `POST /projects/${project}/repo`, owner, { repo })
    await ending.reached
    const deleting = send(server(), `DELETE /repos/${repo}`, owner)
    await setTimeout(100)
    ending.release()
    expect((await connecting).status).toBe(200)
    expect(await deleting).toMatchObject({ status: 409, json: { error: { code: 'repository_in_use' } } })
  })

  it('a project does not connect to a repository that is deleted at that moment', async () => {
    const owner = await server().account()
    const project = freshName()
    const repo = `${owner.login}/site`
    await send(server(), 'POST /projects', owner, { name: project })
    await send(server(), `POST /projects/${project}/repo`, owner, { repo })
    await send(server(), `DELETE /projects/${project}/repo`, owner)
    const ending = holdNextTransaction(server().running.platform.store)
    const deleting = send(server(), `DELETE /repos/${repo}`, owner)
    await ending.reached
    const connecting = send(server(), `POST /projects/${project}/repo`, owner, { repo })
    await setTimeout(100)
    ending.release()
    expect((await deleting).status).toBe(200)
    expect(await connecting).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } })
  })

  it('the owner of repositories lists them with their sizes, and deletes one that no project builds from', async () => {
    const owner = await server().account()
    const repo = `${owner.login}/site`
    const copy = await workingCopy(server(), owner.token, repo)
    await copy.commit({ 'noise.bin': randomBytes(300_000) })
    await copy.git('push', 'origin', 'main')
    const list = async () => (await send(server(), 'GET /repos', owner)).json.repos
    await eventually(list, ([first]) => first?.size_bytes > 300_000)
    const project = freshName()
    await send(server(), 'POST /projects', owner, { name: project })
    await send(server(), `POST /projects/${project}/repo`, owner, { repo })
    expect(await list()).toMatchObject([{ repo, projects: [project], can_delete: true }])
    const inUse = await send(server(), `DELETE /repos/${repo}`, owner)
    expect(inUse).toMatchObject({ status: 409, json: { error: { code: 'repository_in_use' } } })
    expect(inUse.json.error.message).toContain(`svc git disconnect --project ${project}`)
    await send(server(), `DELETE /projects/${project}/repo`, owner)
    const before = await server().running.platform.repos.list()
    expect((await send(server(), `DELETE /repos/${repo}`, owner)).status).toBe(200)
    expect(await list()).toEqual([])
    expect(await server().running.platform.repos.list()).toHaveLength(before.length - 1)
    expect((await copy.git('ls-remote', 'origin')).code).not.toBe(0)
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })

  it('members see the repositories of their org, admins delete them, and others do not know them', async () => {
    const team = await makeTeam(server())
    const repo = `${team.org}/shared`
    const copy = await workingCopy(server(), team.member.token, repo)
    await copy.commit({ 'a.txt': 'a' })
    await copy.git('push', 'origin', 'main')
    const seenBy = async (person: { token: string }) =>
      (await send(server(), 'GET /repos', person)).json.repos
    expect(await seenBy(team.member)).toMatchObject([{ repo, can_delete: false }])
    expect(await seenBy(team.owner)).toMatchObject([{ repo, can_delete: true }])
    expect(await seenBy(team.outsider)).toEqual([])
    expect((await send(server(), `DELETE /repos/${repo}`, team.member)).status).toBe(403)
    expect((await send(server(), `DELETE /repos/${repo}`, team.outsider)).status).toBe(404)
    expect((await send(server(), `DELETE /repos/${team.owner.login}/none`, team.owner)).status).toBe(404)
    expect((await send(server(), `DELETE /repos/${repo}`, team.owner)).status).toBe(200)
    expect(await seenBy(team.member)).toEqual([])
  })
})

describe('a full repository', () => {
  it('says so in words that git shows, and takes what makes it smaller', async () => {
    const server = await TestServer.start('sqlite', { SVCD_GIT_REPOSITORY_BYTES: String(1024 * 1024) })
    onTestFinished(() => server.remove())
    const owner = await server.account()
    const copy = await workingCopy(server, owner.token, `${owner.login}/site`)
    const noise = () => ({ 'noise.bin': randomBytes(600_000) })
    await copy.commit(noise())
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    await copy.git('switch', '--quiet', '--create', 'second')
    await copy.commit(noise())
    const refused = await copy.git('push', 'origin', 'second')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('remote: The repository is full: it may hold 1 MB.')
    expect(refused.stderr).toContain('git push <remote> --delete <branch>')
    // Everything that the refs lead to after this push fits.
    await copy.git('switch', '--quiet', '--orphan', 'small')
    await copy.commit(noise())
    expect(await copy.git('push', '--force', 'origin', 'small:main')).toMatchObject({ code: 0 })
    const size = async () => (await send(server, 'GET /repos', owner)).json.repos[0].size_bytes
    await eventually(size, bytes => bytes < 1024 * 1024)
    expect(await copy.git('push', 'origin', '--delete', 'main')).toMatchObject({ code: 0 })
    expect(await copy.git('push', 'origin', 'small:main')).toMatchObject({ code: 0 })
  })
})
