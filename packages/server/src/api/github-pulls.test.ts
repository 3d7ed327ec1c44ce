import { rateLimits } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { expect, it } from 'vitest'
import { spend } from '../core/base/rate-limit.ts'
import { eventually } from '../testing/eventually.ts'
import { onGitHub, plainBuild, withProject } from '../testing/github/platform.ts'
import { send } from '../testing/send.ts'

onGitHub(on => {
  const slugOf = (name: string, url: string) => new URL(url).hostname.split('.')[0] ?? name

  it('the platform comments on a pull request once, and keeps the comment up to date', async () => {
    const { github } = on()
    const { name, repository, pushed, announce, settled, idle } = await withProject(on())
    await repository.push({ 'index.html': 'one' }, { branch: 'feature' })
    const { number } = await repository.openPull('feature')
    repository.comments.push({
      id: github.nextId(),
      pull: number,
      body: 'A person wrote this.',
      byApp: false,
    })
    const opened = () => announce('pull_request', { action: 'opened', number })
    await Promise.all([
      pushed('feature'),
      opened(),
      opened(),
      announce('pull_request', { action: 'synchronize', number }),
    ])
    await settled()
    await idle()
    const own = () => repository.comments.filter(row => row.byApp)
    const url = on().server.running.urls.branch('feature', name)
    await eventually(async () => own()[0]?.body.includes(`[Visit](${url})`) ?? false)
    const [first] = own()
    // A comment that the database does not know is found by its marker.
    await on()
      .server.running.platform.store.db.updateTable('github_pulls')
      .set({ comment_id: null })
      .execute()
    const sha = await repository.push({ 'index.html': 'two' }, { branch: 'feature' })
    await pushed('feature')
    await settled()
    await idle()
    await eventually(async () => {
      const body = own()[0]?.body ?? ''
      return body.includes(sha.slice(0, 10)) && body.includes('Ready')
    })
    expect(own()).toHaveLength(1)
    expect(own()[0]?.id).toBe(first?.id)
    expect(repository.comments[0]?.body).toBe('A person wrote this.')
    // Closed: the preview goes, production stays.
    repository.pulls[number - 1]!.state = 'closed'
    await announce('pull_request', { action: 'closed', number })
    await settled()
    expect((await on().server.site(`feature--${name}`)).status).toBe(404)
    expect((await on().server.site(name)).text).toBe('first')
  })

  it('the platform builds the pull request of a fork without any secret, away from every branch, and cleans up after it', async () => {
    const { server } = on()
    const { person, name, repository, announce, settled, idle, log } = await withProject(on(), plainBuild)
    const path = `/projects/${name}` as const
    await send(server, `PUT ${path}/env/BUILD_SECRET`, person, { value: 'build-secret-value', scope: 'both' })
    const build =
      "require('fs').mkdirSync('dist');require('fs').writeFileSync('dist/index.html','secret: '+process.env.BUILD_SECRET);console.log(Object.keys(process.env).join())"
    const files = { 'build.js': build }
    // The branch of the fork is called like the production branch.
    const { number } = await repository.openPull('main', { owner: 'mallory', files })
    await announce('pull_request', { action: 'opened', number })
    await settled()
    const [made] = await idle()
    expect(made).toMatchObject({ branch: 'mallory:main', status: 'succeeded' })
    const text = await log(made.id)
    expect(text).toContain('A pull request of a fork')
    expect(text).not.toContain('BUILD_SECRET')
    const [, url = ''] = /Preview: (\S+)/.exec(text) ?? []
    expect((await server.site(slugOf(name, url))).text).toBe('secret: undefined')
    expect((await server.site(name)).text).toBe('first')
    const again = await send(server, `POST ${path}/builds`, person, { branch: 'mallory:main' })
    expect(again.json.error.message).toContain('of a fork')
    await eventually(async () => repository.comments.some(row => row.body.includes(`[Visit](${url})`)))
    repository.pulls[number - 1]!.state = 'closed'
    await announce('pull_request', { action: 'closed', number })
    await settled()
    expect((await server.site(slugOf(name, url))).status).toBe(404)
  })

  it('two forks of one owner have a preview each, though their branches have one name', async () => {
    const { name, repository, announce, settled, idle, log } = await withProject(on())
    const forks = [{ owner: 'mallory' }, { owner: 'mallory', name: 'second-fork' }]
    for (const [at, fork] of forks.entries()) {
      const files = { 'index.html': `fork ${at}` }
      const { number } = await repository.openPull('fix', { ...fork, files })
      await announce('pull_request', { action: 'opened', number })
      await settled()
    }
    const made = await idle()
    expect(made.map((build: { branch: string }) => build.branch)).toEqual([
      'mallory/second-fork:fix',
      'mallory:fix',
      'main',
    ])
    const shown = async (build: { id: string }) => {
      const [, url = ''] = /Preview: (\S+)/.exec(await log(build.id)) ?? []
      return (await on().server.site(slugOf(name, url))).text
    }
    expect([await shown(made[0]), await shown(made[1])]).toEqual(['fork 1', 'fork 0'])
  })

  it('a project builds only so many commits of forks in a day, and its own branches all the same', async () => {
    const { running, clock } = on().server
    const { name, repository, pushed, announce, settled, idle } = await withProject(on())
    const { db } = running.platform.store
    const project = await db.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst()
    const rule = rateLimits.forkBuilds
    await spend(running.platform, `builds of forks of ${project?.id}`, rule, rule.limit - 1)
    const branches = async () => (await idle()).map(({ branch }: { branch: string }) => branch)
    const propose = async (branch: string) => {
      const { number } = await repository.openPull(branch, {
        owner: 'mallory',
        files: { 'index.html': branch },
      })
      await announce('pull_request', { action: 'opened', number })
      await settled()
    }
    await propose('last')
    await propose('too-many')
    await repository.push({ 'index.html': 'one' }, { branch: 'own' })
    await pushed('own')
    await settled()
    expect(await branches()).toEqual(['own', 'mallory:last', 'main'])
    const refused = repository.statuses.find(({ state }) => state === 'error')
    expect(refused?.description).toContain(`Not built: ${rule.limit} commits of forks were built today`)
    clock.advance(dayMs)
    await propose('tomorrow')
    expect((await branches())[0]).toBe('mallory:tomorrow')
  })

  it('the platform runs the server app of a fork without variables of the project', async () => {
    const { server } = on()
    const { person, name, repository, announce, settled, idle, log } = await withProject(on())
    await send(server, `PUT /projects/${name}/env/RUNTIME_SECRET`, person, {
      value: 'runtime-secret',
      scope: 'runtime',
    })
    const app =
      "require('http').createServer((q,s)=>s.end(JSON.stringify(Object.keys(process.env)))).listen(process.env.PORT,process.env.HOSTNAME)"
    const files = { Procfile: 'web: node app.js\n', 'app.js': app }
    const { number } = await repository.openPull('app', { owner: 'mallory', files })
    await announce('pull_request', { action: 'opened', number })
    await settled()
    const [made] = await idle()
    expect(made).toMatchObject({ status: 'succeeded' })
    const [, url = ''] = /Preview: (\S+)/.exec(await log(made.id)) ?? []
    const keys = (await server.site(slugOf(name, url))).text
    expect(keys).toContain('SVC_PROJECT')
    expect(keys).not.toMatch(/RUNTIME_SECRET|SVC_CRON_SECRET/)
  })
})
