// `svc deploy` of a large site over a link of 20 Mbit/s: the first time, and again after ten files changed.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../scripts/prepare.mjs'
import { MB, makeSite } from '../sites.mjs'
import { slowLink } from '../slow-link.mjs'
import { startSvc } from '../svc.mjs'

const linkSpeed = 20_000_000
const changed = 10
const cli = join(root, 'packages/cli/bin/svc.js')

export async function measure({ dir }) {
  const svc = await startSvc()
  const link = await slowLink(new URL(svc.url).port, linkSpeed)
  try {
    await svc.api('POST', '/projects', { name: 'redeploys' })
    const { root: site } = makeSite(dir, 'redeploy', { files: 10_000, total: 100 * MB })
    const env = { ...process.env, SVC_API_URL: link.url, SVC_TOKEN: svc.token }
    const deploy = async () => {
      const before = link.sent
      const began = performance.now()
      await promisify(execFile)(process.execPath, [cli, 'deploy', site, '--project', 'redeploys', '--yes'], {
        env,
      })
      return { ms: performance.now() - began, bytes: link.sent - before }
    }
    const first = await deploy()
    for (let n = 1; n <= changed; n++) writeFileSync(join(site, `folder-${n}/page-${n}.html`), `changed ${n}`)
    const again = await deploy()
    const other = 'the first upload'
    const what = 'deploy 10,000 files over 20 Mbit/s again, 10 of them changed'
    return [
      { what, unit: 'ms', svc: again.ms, other, value: first.ms, atMost: 0.2 },
      {
        what: `${what}: sent`,
        unit: 'MB',
        svc: again.bytes / MB,
        other,
        value: first.bytes / MB,
        atMost: 0.2,
      },
    ]
  } finally {
    link.close()
    await svc.stop()
  }
}
