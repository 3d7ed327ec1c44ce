// The first backup of an instance to a folder, and the second one with one deployment more. Beside it: tar of the data directory.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Machine } from '../../e2e/dist/svcd.js'
import { fillWithSites } from '../many-sites.mjs'
import { makeSite } from '../sites.mjs'
import { clientOf } from '../svc.mjs'

const run = promisify(execFile)
/** `BENCH_DEPLOYMENTS=1000` measures a smaller instance, in a tenth of the time. */
const deployments = Number(process.env.BENCH_DEPLOYMENTS ?? 10_000)

export async function measure({ dir }) {
  const machine = await Machine.make({
    SVCD_BILLING: 'off',
    SVCD_BACKUP_URL: join(dir, 'backups'),
    SVCD_BACKUP_PASSPHRASE: 'correct horse battery',
    SVCD_BACKUP_SCHEDULE: 'off',
  })
  try {
    const { tarball } = makeSite(dir, 'backup', { files: 20 })
    await machine.run('migrate')
    await fillWithSites(machine, tarball, deployments)
    const first = await seconds(() => machine.run('backup', 'run'))
    const copied = await seconds(() => run('tar', ['-czf', join(dir, 'all.tgz'), machine.dataDir]))
    const token = await machine.token('bench')
    const svcd = await machine.start()
    const svc = clientOf(svcd.port, token)
    await svc.api('POST', '/projects', { name: 'one-more' })
    await svc.deploy('one-more', tarball)
    await svcd.stop()
    const second = await seconds(() => machine.run('backup', 'run'))
    const what = words => `${words} backup, ${deployments.toLocaleString('en')} deployments`
    const by = { unit: 's', other: 'tar, gzip', value: copied }
    return [
      { what: what('first'), svc: first, ...by },
      { what: what('second'), svc: second, ...by, atMost: 0.5 },
    ]
  } finally {
    await machine.remove()
  }
}

async function seconds(work) {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
