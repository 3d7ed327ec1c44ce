// What visitors of a hot page feel while a build uses all that it may: p99 beside the p99 at rest.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commit, connectProject, git, initRepository } from '../git.mjs'
import { load } from '../load.mjs'
import { makeSite } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

/** Four processes that compute, and write files, until they are ended. */
const busy = `const { createHash } = require('crypto'), fs = require('fs')
for (let i = 0; ; i++) {
  let text = 'x'.repeat(200000)
  for (let n = 0; n < 20; n++) text += createHash('sha512').update(text).digest('hex')
  fs.writeFileSync('file-' + process.argv[2] + '-' + (i % 100), text)
}`
const line = 'echo begun; for i in 1 2 3 4; do node busy.js $i & done; wait'

export async function measure({ dir }) {
  const svc = await startSvc()
  try {
    await svc.api('POST', '/projects', { name: 'calm' })
    await svc.deploy('calm', makeSite(dir, 'calm', { files: 1 }).tarball)
    const settings = { install_cmd: 'true', build_cmd: line }
    const remote = await connectProject(svc, 'busy', settings)
    const copy = join(dir, 'copy')
    initRepository(copy)
    await commit(copy, { 'busy.js': busy, 'package.json': '{}' }, '[skip ci]')
    await git(copy, 'push', '--quiet', remote, 'main')
    const headers = { Host: 'calm.localhost' }
    const p99 = async () => (await load(svc, '/', { connections: 16, seconds: 8, headers })).p99
    const busily = async () => {
      const stop = await startBuild(svc)
      const latency = await p99()
      await stop()
      return latency
    }
    const time = await interleave(5, { rest: p99, busy: busily })
    return [
      {
        what: 'hot page p99 during a build',
        unit: 'ms',
        svc: time.busy,
        other: 'its p99 at rest',
        value: time.rest,
        atMost: 2,
      },
    ]
  } finally {
    await svc.stop()
  }
}

/** Resolves when it computes, to the function that cancels it. */
async function startBuild(svc) {
  const { id } = await svc.api('POST', '/projects/busy/builds', {})
  const path = `/projects/busy/builds/${id}`
  const until = async holds => {
    while (!holds(await svc.api('GET', path))) await sleep(50)
  }
  await until(build => build.status === 'building')
  await sleep(1_000)
  return async () => {
    await svc.api('POST', `${path}/cancel`)
    await until(build => build.finished_at !== null)
  }
}
