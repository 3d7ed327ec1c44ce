import { expect, it, onTestFinished } from 'vitest'
import { removeOrphanedRepositories } from '../../core/builds/repositories.ts'
import { sweep } from '../../core/platform/sweep.ts'
import { newId } from '../../lib/ids.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { send } from '../../testing/send.ts'
import { onEveryServer } from '../../testing/server.ts'
import { freshName } from '../../testing/team.ts'

onEveryServer(server => {
  it('a repository leaves the disk with its organization, and the others stay', async () => {
    const owner = await server().account()
    const { platform } = server().running
    const org = freshName()
    await send(server(), 'POST /orgs', owner, { name: org, display_name: org })
    for (const name of [org, owner.login]) {
      const copy = await WorkingCopy.make(server(), owner.token, `${name}/site`)
      onTestFinished(() => copy.remove())
      await copy.commit({ 'index.html': 'one' })
      expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
    }
    const before = await platform.repos.list()
    expect((await send(server(), `DELETE /orgs/${org}`, owner)).status).toBe(200)
    await sweep(platform)
    await sweep(platform)
    const after = await platform.repos.list()
    expect(before.filter(id => !after.includes(id))).toHaveLength(1)
  })

  it('a repository that is being made keeps its directory', async () => {
    // A copy, since the sweeps of the server itself look at the same time.
    const platform = { ...server().running.platform }
    const id = newId('rep')
    await platform.repos.create(id)
    await removeOrphanedRepositories(platform)
    expect(await platform.repos.list()).toContain(id)
    await removeOrphanedRepositories(platform)
    expect(await platform.repos.list()).not.toContain(id)
  })
})
