// From the start of `git push` until a visitor sees the new page: a small static repository without dependencies.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commit, connectProject, git, initRepository } from '../git.mjs'
import { pageOf } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

export async function measure({ dir }) {
  const svc = await startSvc()
  try {
    const remote = await connectProject(svc, 'pushed')
    const copy = join(dir, 'copy')
    initRepository(copy)
    const pages = Array.from({ length: 20 }, (_, i) => [`pages/${i}.html`, pageOf(`page ${i}`)])
    await commit(copy, Object.fromEntries(pages))
    let round = 0
    const push = async () => {
      const mark = `push ${round++}`
      await commit(copy, { 'index.html': pageOf(mark) })
      const begun = performance.now()
      const pushing = git(copy, 'push', '--quiet', remote, 'main')
      while (!(await svc.visit('pushed')).body.includes(mark)) await sleep(5)
      const seconds = (performance.now() - begun) / 1000
      await pushing
      return seconds
    }
    const { svc: seconds } = await interleave(9, { svc: push })
    return [{ what: 'git push until live, static site of 21 files', unit: 's', svc: seconds, limit: 2 }]
  } finally {
    await svc.stop()
  }
}
