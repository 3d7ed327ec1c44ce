// Clones of a repository of 50 MB from the built-in forge, beside `git http-backend` behind nginx.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startGitHttpBackend } from '../children.mjs'
import { commit, connectProject, git, initRepository } from '../git.mjs'
import { bytesOf, MB } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const commits = 10
const filesPerCommit = 20

export async function measure({ dir }) {
  const svc = await startSvc()
  const copy = join(dir, 'copy')
  initRepository(copy)
  for (let i = 0; i < commits; i++) {
    const files = Array.from({ length: filesPerCommit }, (_, n) => {
      // gzip makes these bytes about a third smaller, so that the pack has about 50 MB.
      const bytes = bytesOf(`${i} ${n}`, Math.floor((75 * MB) / commits / filesPerCommit))
      return [`folder-${n}/file-${i}.html`, bytes]
    })
    await commit(copy, Object.fromEntries(files), `[skip ci] ${i}`)
  }
  const remote = await connectProject(svc, 'cloned')
  await git(copy, 'push', '--quiet', remote, 'main')
  await git(dir, 'clone', '--quiet', '--bare', remote, 'served/cloned.git')
  const backend = await startGitHttpBackend(dir, join(dir, 'served'))
  try {
    const clone = url => async () => {
      const begun = performance.now()
      await git(dir, 'clone', '--quiet', '--no-checkout', url, 'clone')
      const seconds = (performance.now() - begun) / 1000
      rmSync(join(dir, 'clone'), { recursive: true })
      return seconds
    }
    const time = await interleave(7, { svc: clone(remote), backend: clone(`${backend.url}/cloned.git`) })
    return [
      {
        what: 'git clone of 50 MB',
        unit: 's',
        svc: time.svc,
        other: 'nginx and git http-backend',
        value: time.backend,
        atMost: 1.5,
      },
    ]
  } finally {
    await Promise.all([svc.stop(), backend.stop()])
  }
}
