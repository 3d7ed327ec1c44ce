import { describe, expect, it } from 'vitest'
import { archiveOf } from '../testing/archives.ts'
import { eventually } from '../testing/eventually.ts'
import { type GitProject, gitProjectOfTest, occupyBuilder } from '../testing/git-project.ts'
import { refusal, send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName, makeTeam } from '../testing/team.ts'

onEveryServer(server => {
  /** Production says `production`, the branch `next` says `next`. */
  async function newProject(settings = {}) {
    const project = await gitProjectOfTest(server(), settings)
    await project.copy.commit({ 'index.html': 'production' })
    await project.push('main')
    await project.copy.git('switch', '--quiet', '-c', 'next')
    await project.copy.commit({ 'index.html': 'next' })
    await project.push('next')
    return project
  }

  const list = async ({ path, owner }: GitProject) =>
    (await send(server(), `GET ${path}/branches`, owner)).json.branches

  describe('the list of branches', () => {
    it('tells what each branch shows where, and how its last build went', async () => {
      // Without npm's install, which takes long on a busy machine.
      const project = await newProject({ install_cmd: 'true' })
      const { name, path, owner, copy, push } = project
      const domain = `${freshName()}.example.com`
      await send(server(), `POST ${path}/domains`, owner, { domain, branch: 'next' })
      await eventually(async () => (await project.builds())[0].status === 'succeeded')
      await copy.commit({ 'package.json': JSON.stringify({ scripts: { build: 'exit 1' } }) })
      await push('HEAD:broken')
      const next = (await project.builds()).find((build: { branch: string }) => build.branch === 'next')
      const { urls } = server().running
      expect(await list(project)).toMatchObject([
        {
          branch: 'main',
          production: true,
          url: urls.site(name),
          domains: [],
          build: { branch: 'main', status: 'succeeded' },
        },
        {
          branch: 'broken',
          production: false,
          url: null,
          deployment_id: null,
          deployed_at: null,
          build: { status: 'failed' },
        },
        {
          branch: 'next',
          url: expect.stringContaining(`//next--${name}.`),
          deployment_id: next.deployment_id,
          domains: [domain],
          build: { id: next.id, status: 'succeeded' },
        },
      ])
    })

    it('forgets a branch that is deleted', async () => {
      const project = await newProject()
      expect((await list(project)).map((row: { branch: string }) => row.branch)).toEqual(['main', 'next'])
      await project.push('--delete', 'next')
      expect((await list(project)).map((row: { branch: string }) => row.branch)).toEqual(['main'])
    })

    it('shows uploads to a branch of a project without a repository', async () => {
      const owner = await server().account()
      const name = freshName()
      await send(server(), 'POST /projects', owner, { name })
      const archive = archiveOf({ 'index.html': 'x' })
      const { json } = await server().upload(owner.token, name, archive, '?branch=feature/a')
      const { branches } = (await send(server(), `GET /projects/${name}/branches`, owner)).json
      expect(branches).toEqual([
        {
          ...{ branch: 'main', production: true, url: null, deployment_id: null, deployed_at: null },
          ...{ domains: [], build: null },
        },
        {
          ...{ branch: 'feature/a', production: false, url: json.url, deployment_id: json.deployment_id },
          ...{ deployed_at: expect.any(String), domains: [], build: null },
        },
      ])
    })

    it('is for members alone', async () => {
      const team = await makeTeam(server())
      const name = freshName()
      await send(server(), 'POST /projects', team.member, { name, org: team.org })
      expect((await send(server(), `GET /projects/${name}/branches`, team.member)).status).toBe(200)
      const refused = await send(server(), `GET /projects/${name}/branches`, team.outsider)
      expect(refusal(refused)).toBe('404 not_found')
    })
  })

  it('a branch whose name begins with a dash is stored but not built, and the push says why', async () => {
    const project = await gitProjectOfTest(server())
    const { copy, push, builds, name } = project
    await copy.commit({ 'index.html': 'production' })
    const pushed = await push('main', 'main:refs/heads/-x')
    expect(pushed).toMatchObject({ code: 0 })
    expect(pushed.stderr).toContain(
      `${name}: not built, the name '-x' looks like an option of git. Push to a branch whose name does not begin with '-'.`,
    )
    expect(await builds()).toMatchObject([{ branch: 'main', status: 'succeeded' }])
    expect((await copy.git('ls-remote', '--heads', 'origin')).stdout).toContain('refs/heads/-x\n')
    expect(await push('--delete', 'refs/heads/-x')).toMatchObject({ code: 0 })
  })

  it('a push of only such a branch suggests a command that git understands', async () => {
    const project = await gitProjectOfTest(server())
    await project.copy.commit({ 'index.html': 'production' })
    const { stderr } = await project.push('main:refs/heads/-x')
    expect(stderr).toContain(
      "the production branch 'main' does not exist. Push to it (git push <remote> <commit>:main)",
    )
  })

  describe('a branch that is deleted', () => {
    it('ends its queued and its running builds, and nothing of them goes online', async () => {
      const project = await gitProjectOfTest(server(), {
        install_cmd: 'true',
        build_cmd: 'echo begun; sleep 600',
      })
      const { copy, push, log, builds, untilEnded, name } = project
      await copy.commit({ 'package.json': '{}' })
      const pushed = push('main:next')
      await eventually(async () => {
        const [build] = await builds()
        return build !== undefined && (await log(build.id)).includes('begun')
      })
      const [{ id }] = await builds()
      await push('--delete', 'next')
      expect(await untilEnded(id)).toMatchObject({ status: 'cancelled', error: 'The branch was deleted.' })
      await pushed
      expect((await server().site(`next--${name}`)).status).toBe(404)

      const builder = await occupyBuilder(server())
      const waiting = push('main:other')
      await eventually(async () => (await builds()).length === 2)
      const [queued] = await builds()
      expect(queued.status).toBe('queued')
      await push('--delete', 'other')
      expect(await untilEnded(queued.id)).toMatchObject({ status: 'cancelled', started_at: null })
      await builder.release()
      await waiting
    })

    it('takes along what the command line uploaded to it, and spares other branches', async () => {
      const project = await newProject()
      const archive = archiveOf({ 'index.html': 'uploaded' })
      await server().upload(project.owner.token, project.name, archive, '?branch=next')
      await project.push('next:next-2')
      expect((await server().site(`next--${project.name}`)).text).toBe('uploaded')
      await project.push('--delete', 'next')
      expect((await server().site(`next--${project.name}`)).status).toBe(404)
      expect((await server().site(`next-2--${project.name}`)).text).toBe('next')
      expect((await server().site(project.name)).text).toBe('production')
    })

    it('leaves production alone where it is the production branch', async () => {
      const project = await newProject()
      await project.push('--delete', 'main')
      expect((await server().site(project.name)).text).toBe('production')
      expect((await list(project))[0]).toMatchObject({ branch: 'main', production: true })
    })
  })
})
