// The longest request of a visitor while an app is deployed: with a disk, which one instance at a time can have, and without one.
import { setTimeout as sleep } from 'node:timers/promises'
import { copyDataApp } from '../data-apps.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

export async function measure({ dir }) {
  const versions = ['1', '2'].map(version => copyDataApp(dir, `app-${version}`, version))
  const svc = await startSvc()
  try {
    for (const name of ['with-disk', 'without']) await svc.api('POST', '/projects', { name })
    await svc.api('PUT', '/projects/with-disk/disk', {})
    for (const name of ['with-disk', 'without']) await svc.deploy(name, versions[0].tarball)
    await svc.visit('with-disk', '/write?seconds=1&synchronous=normal')
    const now = { 'with-disk': 0, without: 0 }
    const longest = name => async () => {
      now[name] = 1 - now[name]
      return await longestRequest(
        svc,
        name,
        () => svc.deploy(name, versions[now[name]].tarball),
        now[name] + 1,
      )
    }
    const times = await interleave(7, { svc: longest('with-disk'), without: longest('without') })
    return [
      {
        ...{ what: 'longest request while an app with a disk is deployed', unit: 'ms', svc: times.svc },
        ...{ other: 'without a disk', value: times.without, limit: 1_000 },
      },
    ]
  } finally {
    await svc.stop()
  }
}

/** Of a visitor who asks again and again, until the new version answers. */
async function longestRequest(svc, name, deploy, version) {
  let isDeployed = false
  const deployed = deploy().then(() => (isDeployed = true))
  let longest = 0
  for (let body = ''; !isDeployed || body !== String(version); ) {
    const begun = performance.now()
    const answer = await svc.visit(name)
    if (answer.status !== 200) throw new Error(`a request failed during the deploy: ${answer.status}`)
    body = String(answer.body)
    longest = Math.max(longest, performance.now() - begun)
    await sleep(5)
  }
  await deployed
  return longest
}
