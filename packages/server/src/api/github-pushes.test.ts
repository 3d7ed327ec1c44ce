import { expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { onGitHub, plainBuild, withProject } from '../testing/github/platform.ts'
import { send } from '../testing/send.ts'

onGitHub(on => {
  const live = (name: string, path = '/') => on().server.site(name, path)

  it('the platform puts the repository online when it is connected, and each push after that', async () => {
    const { name, repository, pushed, settled, idle, person } = await withProject(on())
    expect((await live(name)).text).toBe('first')
    const sha = await repository.push({ 'index.html': 'second' }, { message: 'Say more\n\nat length' })
    expect((await pushed()).json).toEqual({ ok: true })
    await settled()
    const [build] = await idle()
    expect(build).toMatchObject({
      status: 'succeeded',
      branch: 'main',
      commit_sha: sha,
      commit_message: 'Say more\n\nat length',
      author: 'Ada',
    })
    expect((await live(name)).text).toBe('second')
    const { json } = await send(on().server, `GET /projects/${name}/repo`, person)
    expect(json).toMatchObject({ forge: 'github', repo: repository.fullName, branch: 'main' })
    expect(json).not.toHaveProperty('clone_url')
  })

  it('the platform tells GitHub how the build went: status, deployment and URL', async () => {
    const { name, repository, idle } = await withProject(on())
    const [{ id, commit_sha }] = await idle()
    const { urls } = on().server.running
    await eventually(async () => repository.statuses.at(-1)?.state === 'success')
    await eventually(async () => repository.deployments[0]?.statuses.at(-1)?.state === 'success')
    expect(repository.statuses.at(-1)).toEqual({
      sha: commit_sha,
      state: 'success',
      context: `svc/${name}`,
      description: 'Deployed to production.',
      target_url: `${urls.dashboard}/projects/${name}/git/${id}`,
    })
    expect(repository.deployments).toHaveLength(1)
    expect(repository.deployments[0]).toMatchObject({
      ref: commit_sha,
      environment: `Production – ${name}`,
      production_environment: true,
    })
    expect(repository.deployments[0]?.statuses.at(-1)).toMatchObject({ environment_url: urls.site(name) })
  })

  it('the platform tells GitHub that a build failed, with the reason', async () => {
    const { repository, pushed, settled, idle } = await withProject(on(), plainBuild)
    await repository.push({ 'build.js': 'process.exit(3)' })
    await pushed()
    await settled()
    const [build] = await idle()
    expect(build.status).toBe('failed')
    await eventually(async () => repository.statuses.at(-1)?.state === 'failure')
    expect(repository.statuses.at(-1)).toMatchObject({
      sha: build.commit_sha,
      description: expect.stringContaining('Building failed'),
    })
  })

  it('the platform builds another branch as a preview, which goes when the branch is deleted', async () => {
    const { name, repository, pushed, settled, idle } = await withProject(on())
    await repository.push({ 'index.html': 'preview' }, { branch: 'feature' })
    await pushed('feature')
    await settled()
    await idle()
    expect((await live(`feature--${name}`)).text).toBe('preview')
    expect((await live(name)).text).toBe('first')
    await repository.deleteBranch('feature')
    await pushed('feature')
    await settled()
    expect((await live(`feature--${name}`)).status).toBe(404)
  })

  it('the platform builds no tag, no commit whose message says so, and no change outside the folder of the project', async () => {
    const { name, repository, pushed, announce, settled, builds, idle } = await withProject(on(), {
      root_dir: 'web',
    })
    await announce('push', { ref: 'refs/tags/v1' })
    await repository.push({ 'web/index.html': 'web 1' })
    await pushed()
    await settled()
    await idle()
    expect((await live(name)).text).toBe('web 1')
    const count = (await builds()).length
    const elsewhere = await repository.push({ 'api/index.html': 'api' })
    await pushed()
    await settled()
    const skipped = await repository.push({ 'web/index.html': 'web 2' }, { message: 'Tidy [skip ci]' })
    await pushed()
    await settled()
    expect(await builds()).toHaveLength(count)
    const told = repository.statuses.filter(({ sha }) => sha === elsewhere || sha === skipped)
    expect(told).toMatchObject([
      { sha: elsewhere, state: 'success', description: 'Not built: nothing changed in web.' },
      { sha: skipped, state: 'success', description: 'Not built: the commit message says [skip ci].' },
    ])
    expect(told[0]).toMatchObject({ context: `svc/${name}` })
    await repository.push({ 'web/index.html': 'web 3' })
    await pushed()
    await settled()
    await idle()
    expect((await live(name)).text).toBe('web 3')
  })

  it('of events that come twice, late or out of order, the platform builds the newest commit once', async () => {
    const { repository, pushed, announce, settled, idle, builds } = await withProject(on())
    const before = (await builds()).length
    await repository.push({ 'index.html': 'older' })
    const sha = await repository.push({ 'index.html': 'newer' })
    await Promise.all([
      pushed(),
      pushed(),
      pushed(),
      announce('push', { ref: 'refs/heads/main', before: '0' }),
    ])
    await settled()
    const all = await idle()
    expect(all).toHaveLength(before + 1)
    expect(all[0]).toMatchObject({ commit_sha: sha, status: 'succeeded' })
  })

  it('the platform follows a repository that is renamed, by its id', async () => {
    const { person, name, repository, announce, pushed, settled, idle } = await withProject(on())
    on().github.rename(repository, `${person.login}/renamed`)
    await announce('repository', { action: 'renamed', changes: {} })
    await repository.push({ 'index.html': 'renamed' })
    await pushed()
    await settled()
    await idle()
    expect((await live(name)).text).toBe('renamed')
    const { json } = await send(on().server, `GET /projects/${name}/repo`, person)
    expect(json.repo).toBe(`${person.login}/renamed`)
  })

  it('the platform disconnects the project when the repository is deleted, and its site stays', async () => {
    const { person, name, repository, announce, settled } = await withProject(on())
    on().github.delete(repository)
    await announce('repository', { action: 'deleted' })
    await settled()
    expect((await send(on().server, `GET /projects/${name}/repo`, person)).status).toBe(404)
    expect((await live(name)).text).toBe('first')
  })
})
